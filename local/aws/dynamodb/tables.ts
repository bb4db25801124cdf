/** The tables of the template: created in the engine where they are not there yet, and swept of expired items. */
import { StartProblem } from '../../stage/start-problem.ts';
import { resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asList, asObject, asText } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';
import type { DynamoDbEngine } from './dynamodb-engine.ts';

/** A table as declared. */
export interface Table {
  readonly name: string;
  readonly arn: string;
  /** The attribute whose passed epoch seconds mean that an item is gone. */
  readonly ttlAttribute: string | undefined;
  readonly keyAttributes: readonly string[];
  /** Input of `CreateTable`. */
  readonly definition: JsonObject;
}

/** Reads every table, by name. */
export function readTables(assembly: ResolvedAssembly): Map<string, Table> {
  const tables = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'].flatMap((type) =>
    resourcesOfType(assembly, type),
  );
  return new Map(tables.map((table) => [table.name, readTable(table)]));
}

function readTable({ name, arn, properties }: ResolvedResource): Table {
  const ttl = asObject(properties['TimeToLiveSpecification']);
  const isTtlOn = asText(ttl['Enabled']) === 'true';
  const indexes = (kind: string): Json[] =>
    asList(properties[kind]).map((value) => {
      const { IndexName = '', KeySchema = [], Projection = {} } = asObject(value);
      return { IndexName, KeySchema, Projection };
    });
  const definition: JsonObject = {
    TableName: name,
    AttributeDefinitions: properties['AttributeDefinitions'] ?? [],
    KeySchema: properties['KeySchema'] ?? [],
    BillingMode: 'PAY_PER_REQUEST',
  };
  for (const kind of ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes'])
    if (properties[kind] !== undefined) definition[kind] = indexes(kind);
  return {
    name,
    arn: arn ?? '',
    ttlAttribute: isTtlOn ? asText(ttl['AttributeName']) : undefined,
    keyAttributes: asList(properties['KeySchema']).flatMap((key) => asText(asObject(key)['AttributeName']) ?? []),
    definition,
  };
}

/** Creates the tables that are missing; a kept table of another shape is refused, since nothing can migrate it. */
export async function ensureTables(engine: DynamoDbEngine, tables: Iterable<Table>): Promise<void> {
  const existing = new Set(asList((await engine.call('ListTables', {}))['TableNames']));
  for (const table of tables) {
    if (!existing.has(table.name)) {
      await engine.call('CreateTable', table.definition);
      continue;
    }
    const kept = asObject((await engine.call('DescribeTable', { TableName: table.name }))['Table']);
    if (shapeOf(kept) !== shapeOf(table.definition))
      throw new StartProblem(
        `the keys or indexes of table ${table.name} differ from those on disk: start again with --fresh`,
      );
  }
}

function keySchema(value: Json | undefined): string {
  return asList(value)
    .map((key) => `${asText(asObject(key)['KeyType'])}:${asText(asObject(key)['AttributeName'])}`)
    .toSorted()
    .join();
}

function shapeOf(table: JsonObject): string {
  const indexes = (value: Json | undefined): string[] =>
    asList(value)
      .map((index) => `${asText(asObject(index)['IndexName'])}(${keySchema(asObject(index)['KeySchema'])})`)
      .toSorted();
  const { KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes } = table;
  return [keySchema(KeySchema), ...indexes(GlobalSecondaryIndexes), ...indexes(LocalSecondaryIndexes)].join(' ');
}

/** Deletes every item whose time has passed, as DynamoDB does in the background; their number. */
export async function sweepExpired(engine: DynamoDbEngine, tables: Iterable<Table>, nowMs: number): Promise<number> {
  let swept = 0;
  for (const { name, ttlAttribute, keyAttributes } of tables) {
    if (ttlAttribute === undefined) continue;
    const expired = {
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(nowMs / 1000)) } },
    };
    let start: Json | undefined;
    do {
      const scan = { TableName: name, FilterExpression: '#ttl < :now', ...expired };
      const found = await engine.call('Scan', start === undefined ? scan : { ...scan, ExclusiveStartKey: start });
      for (const item of asList(found['Items']).map(asObject)) {
        const key = Object.fromEntries(keyAttributes.map((attribute) => [attribute, item[attribute] ?? null]));
        if (await deleteIfExpired(engine, { TableName: name, Key: key, ...expired })) swept++;
      }
      start = found['LastEvaluatedKey'];
    } while (start !== undefined);
  }
  return swept;
}

/** False where the item was renewed since it was found. */
async function deleteIfExpired(engine: DynamoDbEngine, input: JsonObject): Promise<boolean> {
  const body = JSON.stringify({ ...input, ConditionExpression: '#ttl < :now' });
  const answer = await engine.forward('DeleteItem', body);
  if (answer.status === 200) return true;
  if (answer.body.includes('ConditionalCheckFailedException')) return false;
  throw new Error(`dynalite refused DeleteItem: ${answer.body}`);
}
