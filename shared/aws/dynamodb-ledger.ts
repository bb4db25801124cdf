import {
  ConditionalCheckFailedException,
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { createHash, randomUUID } from 'node:crypto';
import { type LedgerItem, madeDatasetOf, type UploadItem } from '../ledger/items.ts';
import { afterAnyInstant, type AskedLedger, beforeAnyInstant, firstRegistered, type Stored } from '../ledger/ledger.ts';

/** The sparse index of rows that need somebody; infra declares it under this name with these keys. */
export const openIndex = { name: 'open', partitionKey: 'openState', sortKey: 'openSince' } as const;

/** The sparse index of uploads by the dataset that was made of them; it holds keys alone. Infra declares it like the other. */
export const datasetIndex = { name: 'dataset', partitionKey: 'madeDataset' } as const;

const defaultPageSize = 100;

/**
 * The ledger in DynamoDB. A row is its key, the attributes that conditions and the index need, and the item as one JSON document: one
 * attribute is cheaper to read and write than forty, and no caller ever asks for a part of it.
 */
export function createDynamoDbLedger(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): AskedLedger {
  const { client, tableName } = options;

  async function read<Item extends LedgerItem>(pk: Item['pk']): Promise<Stored<Item> | undefined> {
    const answer = await client.send(
      new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk } }, ConsistentRead: true }),
    );
    return answer.Item === undefined ? undefined : fromRow<Item>(answer.Item);
  }

  return {
    read,

    async write<Item extends LedgerItem>(before: Stored<Item> | undefined, after: Item) {
      const stored: Stored<Item> = { ...after, version: (before?.version ?? 0) + 1, writer: randomUUID() };
      try {
        await client.send(new PutItemCommand({ TableName: tableName, Item: toRow(stored), ...conditionFor(before) }));
        return stored;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The SDK repeats a write whose answer was lost, and the repeat fails its own condition: not a lost race if the row is ours.
        const current = await read<Item>(after.pk);
        return current?.writer === stored.writer ? stored : undefined;
      }
    },

    async listOpen(state, range = {}) {
      const { since = beforeAnyInstant, until = afterAnyInstant } = range;
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openIndex.name,
          KeyConditionExpression: '#state = :state AND #at BETWEEN :since AND :until',
          ExpressionAttributeNames: { '#state': openIndex.partitionKey, '#at': openIndex.sortKey },
          ExpressionAttributeValues: { ':state': { S: state }, ':since': { S: since }, ':until': { S: until } },
          ScanIndexForward: range.newestFirst !== true,
          Limit: range.limit ?? defaultPageSize,
          ...(range.cursor === undefined ? {} : { ExclusiveStartKey: decodeCursor(range.cursor) }),
        }),
      );
      return {
        items: (answer.Items ?? []).map((row) => fromRow(row)),
        ...(answer.LastEvaluatedKey === undefined ? {} : { next: encodeCursor(answer.LastEvaluatedKey) }),
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
      const answer = await client.send(query).catch(noneWithoutIndex);
      const found = await Promise.all((answer.Items ?? []).map(({ pk }) => read<UploadItem>(pk?.S ?? '')));
      return firstRegistered(found.filter((row) => row !== undefined));
    },
  };
}

/** A stage that was deployed before November 2026, and not since, has no index of datasets; its operator's command may be newer. */
function noneWithoutIndex(error: unknown): Pick<QueryCommandOutput, 'Items'> {
  const isMissing = error instanceof Error && error.name === 'ValidationException' && error.message.includes('index');
  if (isMissing) return {};
  throw error;
}

/** A digest: an id is as long as its gateway likes, a key of DynamoDB is not, and a row that could not be written would be an answer lost. */
function keyOfDataset(datasetId: string): string {
  return createHash('sha256').update(datasetId).digest('base64url').slice(0, 22);
}

function conditionFor(before: Stored | undefined) {
  if (before === undefined) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: '#version = :version AND #writer = :writer',
    ExpressionAttributeNames: { '#version': 'version', '#writer': 'writer' },
    ExpressionAttributeValues: { ':version': { N: String(before.version) }, ':writer': { S: before.writer } },
  };
}

function toRow(item: Stored): Record<string, AttributeValue> {
  const { pk, version, writer, openState, openSince, expiresAt, ...document } = item;
  const dataset = madeDatasetOf(item);
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
  };
}

function fromRow<Item extends LedgerItem>(row: Record<string, AttributeValue>): Stored<Item> {
  // The table is written by `toRow` alone, so its document is an item; `kind` is in it.
  return {
    ...JSON.parse(row['document']?.S ?? '{}'),
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
