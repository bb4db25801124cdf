import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from '../start-local-aws.ts';

const TableName = 'App-Ledger';
let aws: LocalAws;
let dynamo: DynamoDBClient;

beforeAll(async () => {
  aws = await startLocalAws();
  dynamo = new DynamoDBClient(aws.developer);
});
afterAll(async () => {
  dynamo.destroy();
  await aws[Symbol.asyncDispose]();
});

async function put(pk: string, more: Record<string, string> = {}, condition?: string): Promise<void> {
  const attributes = Object.entries(more).map(([name, value]) => [name, { S: value }] as const);
  const Item = { pk: { S: pk }, ...Object.fromEntries(attributes) };
  await dynamo.send(new PutItemCommand({ TableName, Item, ConditionExpression: condition }));
}

async function get(pk: string) {
  return (await dynamo.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }))).Item;
}

describe('the table of the template', () => {
  test('holds conditions on writes', async () => {
    await put('once', {}, 'attribute_not_exists(pk)');

    await expect(put('once', {}, 'attribute_not_exists(pk)')).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  });

  test('counts, and finds items by their index', async () => {
    await put('open-1', { open: 'parked' });
    const updated = await dynamo.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: 'open-1' } },
        UpdateExpression: 'ADD tries :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const found = await dynamo.send(
      new QueryCommand({
        TableName,
        IndexName: 'open',
        KeyConditionExpression: '#open = :parked',
        ExpressionAttributeNames: { '#open': 'open' },
        ExpressionAttributeValues: { ':parked': { S: 'parked' } },
      }),
    );

    expect(updated.Attributes?.['tries']).toEqual({ N: '1' });
    expect(found.Items).toMatchObject([{ pk: { S: 'open-1' } }]);
  });

  test('loses expired items when swept, and no others', async () => {
    const nowMs = Date.UTC(2026, 10, 20);
    for (const [pk, ageSeconds] of [
      ['expired', 10],
      ['fresh', -10],
    ] as const) {
      const expiresAt = { N: String(nowMs / 1000 - ageSeconds) };
      await dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, expiresAt } }));
    }
    const swept = await aws.door.sweepExpired(nowMs);

    expect(swept).toBe(1);
    expect(await get('expired')).toBeUndefined();
    expect(await get('fresh')).toBeDefined();
    expect(await get('once')).toBeDefined();
  });
});
