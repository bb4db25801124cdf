/**
 * The tables of the template: created in the engine if they are not there yet, and swept of expired
 * items.
 */
import { join } from 'node:path';
import { fromStateLater, StartProblem } from '../../state/start-problem.ts';
import { arnIn } from '../../template/cloud-assembly.ts';
import { asList, asObject, asText, type Json, type JsonObject } from '../../template/json.ts';
import type { AwsStage } from '../services/aws-stage.ts';
import { type AwsRequest, type AwsService, jsonBody, jsonResponse } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import type { LocalTable } from './declared-tables.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { type DynamoDbCall, type DynamoDbEngine, type LateReads, startDynamoDbEngine } from './dynamodb-engine.ts';
import { attributesOf, leadingKeys, leadingKeysOfQuery } from './leading-keys.ts';
import { createTransactions, readTransaction } from './transactions.ts';

/**
 * Creates the tables that are missing.
 * @throws StartProblem for a kept table of another shape, since nothing can migrate it
 */
async function ensureTables(call: DynamoDbCall, tables: Iterable<LocalTable>): Promise<void> {
  const existing = new Set(asList((await call('ListTables', {}))['TableNames']));
  for (const table of tables) {
    if (!existing.has(table.name)) {
      await call('CreateTable', table.definition);
      continue;
    }
    const kept = asObject((await call('DescribeTable', { TableName: table.name }))['Table']);
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

function shapeOf({ KeySchema, GlobalSecondaryIndexes }: JsonObject): string {
  const indexes = asList(GlobalSecondaryIndexes)
    .map(asObject)
    .map((index) => `${asText(index['IndexName'])}(${keySchema(index['KeySchema'])})`);
  return [keySchema(KeySchema), ...indexes.toSorted()].join(' ');
}

/** Deletes every item whose time has passed, as DynamoDB does in the background; their number. */
async function sweepExpired(engine: DynamoDbEngine, tables: Iterable<LocalTable>, nowMs: number): Promise<number> {
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

/** False if the item was renewed since it was found. */
async function deleteIfExpired({ call }: DynamoDbEngine, input: JsonObject): Promise<boolean> {
  try {
    await call('DeleteItem', { ...input, ConditionExpression: '#ttl < :now' });
    return true;
  } catch (error) {
    if (error instanceof AwsError && error.code === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}

/** Open tables. */
export type OpenDynamoDb = Awaited<ReturnType<typeof openDynamoDb>>;

/**
 * Opens the tables that the template declares.
 * @param dataDir - holds the tables; created if it is missing
 * @throws Error for a kept table of another shape; nothing stays open then
 */
export async function openDynamoDb(dataDir: string, tables: ReadonlyMap<string, LocalTable>, late?: LateReads) {
  const directory = join(dataDir, 'dynamodb');
  return fromStateLater(directory, async () => {
    const engine = await startDynamoDbEngine(directory, late);
    try {
      await ensureTables(engine.call, tables.values());
    } catch (error) {
      await engine.close();
      throw error;
    }
    return {
      engine,
      tables,
      /** Deletes items whose time to live has passed; their number. */
      sweepExpired: async (nowMs: number) => sweepExpired(engine, tables.values(), nowMs),
      close: async () => engine.close(),
    };
  });
}

/** Operations on one table that dynalite does; tables themselves are made by the template alone. */
const ON_ONE_TABLE = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan']);

export function createDynamoDbService({ engine, tables }: OpenDynamoDb, { assembly }: AwsStage): AwsService {
  const transactWrite = createTransactions({ engine });
  const arnOf = (name: string, index?: string): string =>
    arnIn(assembly, 'dynamodb', `table/${name}${index === undefined ? '' : `/index/${index}`}`);
  const keysOf = (name: string, rows: readonly JsonObject[]): RequestContext => {
    const table = tables.get(name);
    return table === undefined ? {} : leadingKeys(rows, table);
  };
  const contextOf = (name: string, input: JsonObject): RequestContext => ({
    ...keysOf(name, [rowOf(input)]),
    ...(input['Item'] === undefined ? {} : attributesOf(input)),
  });
  const authorize = (request: AwsRequest, input: JsonObject): void => {
    const { operation } = request;
    if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
      for (const [table, asked] of Object.entries(asObject(input['RequestItems'])))
        request.require(`dynamodb:${operation}`, arnOf(table), keysOf(table, rowsOfBatch(asked)));
      return;
    }
    if (operation === 'TransactWriteItems') {
      // The transaction has no action of its own: each of its items asks for the one that does the
      // same.
      for (const { action, tableName, input: item } of readTransaction(input).TransactItems)
        request.require(`dynamodb:${action}`, arnOf(tableName), contextOf(tableName, item));
      return;
    }
    if (!ON_ONE_TABLE.has(operation)) throw notEmulated('dynamodb', operation);
    const name = asText(input['TableName']) ?? '';
    const table = tables.get(name);
    const isQuery = operation === 'Query' && table !== undefined;
    const context = isQuery ? leadingKeysOfQuery(input, table) : contextOf(name, input);
    request.require(`dynamodb:${operation}`, arnOf(name, asText(input['IndexName'])), context);
  };

  return {
    name: 'dynamodb',
    protocol: 'json',
    async handle(request) {
      const input = jsonBody(request);
      const { operation } = request;
      authorize(request, input);
      if (operation !== 'TransactWriteItems') return jsonResponse(await engine.call(operation, input));
      await transactWrite(input);
      return jsonResponse({});
    },
  };
}

/** What holds the key of the row that a request is about: the key itself, or the whole row. */
function rowOf(input: JsonObject): JsonObject {
  return asObject(input['Item'] ?? input['Key']);
}

function rowsOfBatch(asked: Json): readonly JsonObject[] {
  const writes = Array.isArray(asked) ? asked.map(asObject).flatMap((write) => Object.values(write)) : [];
  return [...asList(asObject(asked)['Keys']).map(asObject), ...writes.map((write) => rowOf(asObject(write)))];
}
