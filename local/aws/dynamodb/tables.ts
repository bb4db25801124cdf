/**
 * The tables of the template: created in the engine if they are not there yet, and swept of expired
 * items.
 */
import { join } from 'node:path';
import { fromStateLater, StartProblem } from '../../state/start-problem.ts';
import {
  asList,
  asObject,
  asText,
  type Json,
  type JsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
} from '../../template/assembly.ts';
import {
  type AwsRequest,
  type AwsService,
  jsonBody,
  jsonResponse,
  notEmulated,
  requiredParameter,
} from '../wire/messages.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { createTable, type DynamoDbEngine, type EngineCalls, isReady, startDynamoDbEngine } from './dynamodb-engine.ts';
import { leadingKeys, leadingKeysOfQuery } from './leading-keys.ts';
import { readTransactItems } from './rehearsal.ts';
import { openTransactions, type Transactions } from './transactions.ts';

/** A table as declared. */
export interface LocalTable {
  readonly name: string;
  readonly arn: string;
  /** The attribute whose passed epoch seconds mean that an item is gone. */
  readonly ttlAttribute: string | undefined;
  readonly keyAttributes: readonly string[];
  /** Input of `CreateTable`. */
  readonly definition: JsonObject;
}

/** Reads every table, by name. */
export function readTables(assembly: ResolvedAssembly): Map<string, LocalTable> {
  const tables = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'].flatMap((type) =>
    resourcesOfType(assembly, type),
  );
  return new Map(tables.map((table) => [table.name, readTable(table)]));
}

function readTable({ name, arn, properties }: ResolvedResource): LocalTable {
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

/**
 * Creates the tables that are missing, and returns when all take requests.
 * @throws StartProblem for a kept table of another shape, since nothing can migrate it. Also for one
 *   that a killed start left half made: dynalite neither finishes nor deletes it
 */
export async function ensureTables(engine: Pick<EngineCalls, 'call'>, tables: Iterable<LocalTable>): Promise<void> {
  const existing = new Set(asList((await engine.call('ListTables', {}))['TableNames']));
  for (const table of tables) {
    if (!existing.has(table.name)) {
      await createTable(engine, table.definition);
      continue;
    }
    const kept = asObject((await engine.call('DescribeTable', { TableName: table.name }))['Table']);
    if (!isReady(kept))
      throw new StartProblem(`a start was killed before table ${table.name} was ready: start again with --fresh`);
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
async function deleteIfExpired(engine: DynamoDbEngine, input: JsonObject): Promise<boolean> {
  const body = JSON.stringify({ ...input, ConditionExpression: '#ttl < :now' });
  const answer = await engine.forward('DeleteItem', body);
  if (answer.status === 200) return true;
  if (answer.body.includes('ConditionalCheckFailedException')) return false;
  throw new Error(`dynalite refused DeleteItem: ${answer.body}`);
}

// The tables of a data folder, ready for requests: what the template declares is there, what a kill
// cut off is finished.

/** Open tables. */
export interface OpenDynamoDb {
  readonly engine: DynamoDbEngine;
  readonly transactions: Transactions;
  /** Deletes items whose time to live has passed; their number. */
  sweepExpired(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens them.
 * @param dataDir - holds the tables and the journal of transactions; created if it is missing
 * @throws Error for a kept table of another shape, and for a journal that cannot be finished;
 *   nothing stays open then
 */
export async function openDynamoDb(dataDir: string, tables: ReadonlyMap<string, LocalTable>): Promise<OpenDynamoDb> {
  const directory = join(dataDir, 'dynamodb');
  const engine = await startDynamoDbEngine(directory);
  try {
    await fromStateLater(directory, async () => ensureTables(engine, tables.values()));
    const transactions = await openTransactions({ engine, dataDir });
    return {
      engine,
      transactions,
      sweepExpired: async (nowMs) => sweepExpired(engine, tables.values(), nowMs),
      async close() {
        await transactions.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** What the service needs. */
export interface DynamoDbServiceOptions {
  readonly engine: DynamoDbEngine;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly tables: ReadonlyMap<string, LocalTable>;
  readonly region: string;
  readonly accountId: string;
}

/** Operations on one table that dynalite does; tables themselves are made by the template alone. */
const ON_ONE_TABLE = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable']);

/** Creates the service. */
export function createDynamoDbService(options: DynamoDbServiceOptions): AwsService {
  const { engine, transactions, tables, region, accountId } = options;
  const tableArn = (nameOrArn: string): string =>
    nameOrArn.startsWith('arn:') ? nameOrArn : `arn:aws:dynamodb:${region}:${accountId}:table/${nameOrArn}`;
  const keysOf = (nameOrArn: string, rows: readonly JsonObject[]): RequestContext => {
    const table = tables.get(nameOrArn.split('/').at(-1) ?? '');
    return table === undefined ? {} : leadingKeys(rows, table);
  };
  const authorize = (request: AwsRequest, input: JsonObject): void => {
    const { operation } = request;
    if (operation === 'ListTables') return request.require('dynamodb:ListTables', '*');
    if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
      for (const [table, asked] of Object.entries(asObject(input['RequestItems'])))
        request.require(`dynamodb:${operation}`, tableArn(table), keysOf(table, rowsOfBatch(asked)));
      return undefined;
    }
    if (operation === 'TransactWriteItems') {
      // The transaction has no action of its own: each of its items asks for the one that does the
      // same.
      for (const { action, tableName, input: item } of readTransactItems(input))
        request.require(`dynamodb:${action}`, tableArn(tableName), keysOf(tableName, [rowOf(item)]));
      return undefined;
    }
    if (!ON_ONE_TABLE.has(operation)) throw notEmulated('dynamodb', operation);
    const index = asText(input['IndexName']);
    const name = requiredParameter(input, 'TableName');
    const arn = tableArn(name);
    const table = tables.get(arn.split('/').at(-1) ?? '');
    const isQuery = operation === 'Query' && table !== undefined;
    const context = isQuery ? leadingKeysOfQuery(input, table) : keysOf(name, [rowOf(input)]);
    return request.require(`dynamodb:${operation}`, index === undefined ? arn : `${arn}/index/${index}`, context);
  };

  return {
    name: 'dynamodb',
    protocol: 'json-1.0',
    async handle(request) {
      const input = jsonBody(request);
      const { operation } = request;
      if (operation === 'UpdateTimeToLive' || operation === 'DescribeTimeToLive') {
        const arn = tableArn(requiredParameter(input, 'TableName'));
        request.require(`dynamodb:${operation}`, arn);
        return timeToLive(tables.get(arn.split('/').at(-1) ?? ''), operation);
      }
      authorize(request, input);
      if (operation === 'TransactWriteItems') return transactions.write(input);
      const { status, body } = await engine.forward(operation, request.body);
      // dynalite knows one account and region only, and shows them in table descriptions.
      const text = operation === 'DescribeTable' ? withArns(body, region, accountId) : body;
      return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: text };
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

/** The template decides on time to live: asking shows it, setting changes nothing. */
function timeToLive(table: LocalTable | undefined, operation: string) {
  const attribute = table?.ttlAttribute;
  const isOn = attribute !== undefined;
  const body =
    operation === 'UpdateTimeToLive'
      ? { TimeToLiveSpecification: { Enabled: isOn, AttributeName: attribute } }
      : { TimeToLiveDescription: { TimeToLiveStatus: isOn ? 'ENABLED' : 'DISABLED', AttributeName: attribute } };
  return jsonResponse(body, { protocol: 'json-1.0' });
}

function withArns(body: string, region: string, accountId: string): string {
  return body.replaceAll(/arn:aws:dynamodb:[^:"]*:[^:"]*:/g, `arn:aws:dynamodb:${region}:${accountId}:`);
}
