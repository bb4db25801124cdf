import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LedgerRow } from '../ledger/ledger-row.ts';
import {
  afterAnyInstant,
  type AskedLedger,
  beforeAnyInstant,
  firstRegistered,
  type RowChange,
  type Stored,
} from '../ledger/ledger.ts';
import { madeDatasetOf, type UploadRow } from '../ledger/rows/upload-row.ts';

/** The sparse index of open rows; infra declares it so. */
export const openIndex = { name: 'open', partitionKey: 'openState', sortKey: 'openSince' } as const;

/** The sparse index of uploads by the dataset that was made of them; it holds keys alone. */
export const datasetIndex = { name: 'dataset', partitionKey: 'madeDataset' } as const;

const defaultPageSize = 100;

/** The most keys that one BatchGetItem takes. */
const mostKeys = 100;

/**
 * How often the keys that a throttled table left unread are asked for again, after 50 ms, 100 ms, …
 */
const mostRereads = 5;
const firstRereadMs = 50;

/**
 * The ledger in DynamoDB. A row is its key, the indexed attributes, and one JSON document: no
 * caller reads a part of it.
 */
export function createDynamoDbLedger(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): AskedLedger {
  const { client, tableName } = options;

  async function read<Row extends LedgerRow>(pk: Row['pk']): Promise<Stored<Row> | undefined> {
    const answer = await client.send(
      new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk } }, ConsistentRead: true }),
    );
    return answer.Item === undefined ? undefined : fromRow<Row>(answer.Item);
  }

  async function readChunk(pks: readonly string[]): Promise<readonly Stored[]> {
    const found: Stored[] = [];
    let keys = pks.map((pk): Record<string, AttributeValue> => ({ pk: { S: pk } }));
    for (let reads = 0; reads <= mostRereads; reads += 1) {
      if (reads > 0) await setTimeout(firstRereadMs * 2 ** (reads - 1));
      const request = { [tableName]: { Keys: keys, ConsistentRead: true } };
      const answer = await client.send(new BatchGetItemCommand({ RequestItems: request }));
      found.push(...(answer.Responses?.[tableName] ?? []).map((row) => fromRow(row)));
      keys = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
      if (keys.length === 0) return found;
    }
    throw new Error(`DynamoDB left ${keys.length} of ${pks.length} rows unread, ${mostRereads + 1} times`);
  }

  async function readMany(pks: readonly string[]): Promise<ReadonlyMap<string, Stored>> {
    const wanted = [...new Set(pks)];
    const chunks = Array.from({ length: Math.ceil(wanted.length / mostKeys) }, async (_, chunk) =>
      readChunk(wanted.slice(chunk * mostKeys, (chunk + 1) * mostKeys)),
    );
    return new Map((await Promise.all(chunks)).flat().map((row) => [row.pk, row]));
  }

  async function write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
    const writer = randomUUID();
    const row = rowOf({ before, after }, writer);
    try {
      await client.send(new PutItemCommand({ TableName: tableName, Item: row, ...conditionFor(before) }));
      return fromRow<Row>(row);
    } catch (error) {
      const isRefused =
        error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;
      if (!isRefused) throw error;
      // The SDK repeats a write whose answer was lost, and the repeat fails its own condition: not
      // a lost race if the row is ours.
      const current = await read<Row>(after.pk);
      return current?.writer === writer ? current : undefined;
    }
  }

  async function writeTogether(changes: readonly RowChange[]): Promise<readonly Stored[] | 'row-changed'> {
    const writer = randomUUID();
    const rows = changes.map((change) => rowOf(change, writer));
    const puts = changes.map(({ before }, index) => ({
      Put: { TableName: tableName, Item: rows[index], ...conditionFor(before) },
    }));
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: puts, ClientRequestToken: writer }));
    } catch (error) {
      if (!isRowChanged(error)) throw error;
      // As for a single write. One row of ours is proof enough: the others may have been written
      // again since.
      const current = await Promise.all(changes.map(async ({ after }) => read(after.pk)));
      if (!current.some((row) => row?.writer === writer)) return 'row-changed';
    }
    return rows.map((row) => fromRow(row));
  }

  return {
    read,
    readMany,
    write,

    async writeAll(changes) {
      const [only, ...others] = changes;
      if (only === undefined) return [];
      if (others.length > 0) return writeTogether(changes);
      const stored = await write(only.before, only.after);
      return stored === undefined ? 'row-changed' : [stored];
    },

    async listOpen(state, range = {}) {
      const { since = beforeAnyInstant, until = afterAnyInstant } = range;
      // Query refuses a BETWEEN whose upper bound is the lower one.
      if (until < since) return { items: [] };
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openIndex.name,
          KeyConditionExpression: '#state = :state AND #at BETWEEN :since AND :until',
          ExpressionAttributeNames: { '#state': openIndex.partitionKey, '#at': openIndex.sortKey },
          ExpressionAttributeValues: { ':state': { S: state }, ':since': { S: since }, ':until': { S: until } },
          ScanIndexForward: range.newestFirst !== true,
          Limit: range.limit ?? defaultPageSize,
          ExclusiveStartKey: range.cursor === undefined ? undefined : decodeCursor(range.cursor),
        }),
      );
      return {
        items: (answer.Items ?? []).map((row) => fromRow(row)),
        next: answer.LastEvaluatedKey && encodeCursor(answer.LastEvaluatedKey),
      };
    },

    async uploadOfDataset(datasetId) {
      const query = new QueryCommand({
        TableName: tableName,
        IndexName: datasetIndex.name,
        KeyConditionExpression: '#made = :made',
        ExpressionAttributeNames: { '#made': datasetIndex.partitionKey },
        ExpressionAttributeValues: { ':made': { S: keyOfDataset(datasetId) } },
      });
      const answer = await client.send(query);
      const found = await Promise.all((answer.Items ?? []).map(({ pk }) => read<UploadRow>(pk?.S ?? '')));
      return firstRegistered(found.filter((row) => row !== undefined));
    },
  };
}

/**
 * A digest, since a gateway's id has no limit of length and a key of DynamoDB has. If the row could
 * not be written, an answer would be lost.
 */
function keyOfDataset(datasetId: string): string {
  return createHash('sha256').update(datasetId).digest('base64url').slice(0, 22);
}

/**
 * Whether a transaction was refused because of its rows, or of another write under way at one of
 * them.
 */
function isRowChanged(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None').filter((code) => code !== 'None');
  return codes.length > 0 && codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict');
}

/** The row that a change leaves. */
function rowOf({ before, after }: RowChange, writer: string): Record<string, AttributeValue> {
  return toRow({ ...after, version: (before?.version ?? 0) + 1, writer });
}

function conditionFor(before: Stored | undefined) {
  if (before === undefined) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: '#version = :version AND #writer = :writer',
    ExpressionAttributeNames: { '#version': 'version', '#writer': 'writer' },
    ExpressionAttributeValues: { ':version': { N: String(before.version) }, ':writer': { S: before.writer } },
  };
}

function toRow(row: Stored): Record<string, AttributeValue> {
  const { pk, version, writer, openState, openSince, expiresAt, isTaken, ...document } = row;
  const dataset = row.kind === 'upload' ? madeDatasetOf(row) : undefined;
  return {
    pk: { S: pk },
    version: { N: String(version) },
    writer: { S: writer },
    document: { S: JSON.stringify(document) },
    ...(openState === undefined || openSince === undefined
      ? {}
      : { openState: { S: openState }, openSince: { S: openSince } }),
    ...(dataset === undefined ? {} : { [datasetIndex.partitionKey]: { S: keyOfDataset(dataset) } }),
    ...(expiresAt === undefined ? {} : { expiresAt: { N: String(expiresAt) } }),
    ...(isTaken === undefined ? {} : { isTaken: { BOOL: isTaken } }),
  };
}

function fromRow<Row extends LedgerRow>(row: Record<string, AttributeValue>): Stored<Row> {
  // The table is written by `toRow` alone, so its document is a row; `kind` is in it.
  return {
    ...JSON.parse(row['document']?.S ?? '{}'),
    isTaken: row['isTaken']?.BOOL,
    pk: row['pk']?.S,
    version: Number(row['version']?.N),
    writer: row['writer']?.S,
    ...(row['openState']?.S === undefined ? {} : { openState: row['openState'].S, openSince: row['openSince']?.S }),
    ...(row['expiresAt']?.N === undefined ? {} : { expiresAt: Number(row['expiresAt'].N) }),
  };
}

function encodeCursor(key: Record<string, AttributeValue>): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decodeCursor(cursor: string): Record<string, AttributeValue> {
  return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
}

/** A client of DynamoDB. */
export function createDynamoDbClient(settings: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient(settings);
}
