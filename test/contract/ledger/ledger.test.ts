import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoDbLedger, openIndex } from '../../../shared/aws/dynamodb-ledger.ts';
import { ledgerKeys, type GuardItem, type MessageItem } from '../../../shared/ledger/items.ts';
import type { Ledger } from '../../../shared/ledger/ledger.ts';
import { createMemoryLedger } from '../../../shared/ledger/memory-ledger.ts';
import { startDynamoDb, type TestDynamoDb } from './test-dynamodb.ts';

const guard = (name: string, count = 0): GuardItem => ({
  pk: ledgerKeys.guard(name),
  kind: 'guard',
  name,
  startsOfMonth: { month: '2026-11', count },
});

const atMinute = (minute: number) => `2026-11-20T22:0${minute}:00.000Z`;

const parkedMessage = (id: string, openSince: string): MessageItem => ({
  pk: ledgerKeys.message('commands', id),
  kind: 'message',
  openState: 'PARKED',
  openSince,
});

let dynamoDb: TestDynamoDb;
let inDynamoDb: Ledger;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  const client = new DynamoDBClient({
    endpoint: dynamoDb.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { requestTimeout: 500 },
    maxAttempts: 3,
  });
  await client.send(
    new CreateTableCommand({
      TableName: 'ledger',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: ['pk', openIndex.partitionKey, openIndex.sortKey].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: [
        {
          IndexName: openIndex.name,
          KeySchema: [
            { AttributeName: openIndex.partitionKey, KeyType: 'HASH' },
            { AttributeName: openIndex.sortKey, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  inDynamoDb = createDynamoDbLedger({ client, tableName: 'ledger' });
});

afterAll(async () => dynamoDb.close());

describe.each([
  ['memory', () => createMemoryLedger()],
  ['DynamoDB', () => inDynamoDb],
] as const)('the ledger in %s', (where, open) => {
  test('gives back what was written, with a version that grows', async () => {
    const ledger = open();

    const first = await ledger.write(undefined, guard(`${where}-a`));
    const second = await ledger.write(first, guard(`${where}-a`, 1));

    expect(first?.version).toBe(1);
    expect(second?.version).toBe(2);
    expect(await ledger.read(ledgerKeys.guard(`${where}-a`))).toEqual(second);
  });

  test('knows nothing of a key that nobody wrote', async () => {
    expect(await open().read(ledgerKeys.guard('nobody'))).toBeUndefined();
  });

  test('refuses to create what is there', async () => {
    const ledger = open();
    await ledger.write(undefined, guard(`${where}-b`));

    expect(await ledger.write(undefined, guard(`${where}-b`, 9))).toBeUndefined();
    expect(await ledger.read<GuardItem>(ledgerKeys.guard(`${where}-b`))).toMatchObject({ startsOfMonth: { count: 0 } });
  });

  test('refuses the second of two writers that read the same version', async () => {
    const ledger = open();
    const read = await ledger.write(undefined, guard(`${where}-c`));

    const results = await Promise.all([
      ledger.write(read, guard(`${where}-c`, 1)),
      ledger.write(read, guard(`${where}-c`, 2)),
    ]);

    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
  });

  test('refuses an owner that comes back after somebody took over and gave back', async () => {
    const ledger = open();
    const zombie = await ledger.write(undefined, guard(`${where}-d`));
    await ledger.write(zombie, guard(`${where}-d`, 1));

    expect(await ledger.write(zombie, guard(`${where}-d`, 2))).toBeUndefined();
  });

  test('lists open rows, oldest first, page by page, and drops those that are closed', async () => {
    const ledger = open();
    for (const minute of [3, 1, 2])
      await ledger.write(undefined, parkedMessage(`${where}-${minute}`, atMinute(minute)));
    const closing = await ledger.read<MessageItem>(ledgerKeys.message('commands', `${where}-2`));
    const { openState: _state, openSince: _since, ...closed } = parkedMessage(`${where}-2`, '');
    await ledger.write(closing, closed);

    const first = await ledger.listOpen('PARKED', { limit: 1 });
    const second = await ledger.listOpen('PARKED', {
      limit: 1,
      ...(first.next === undefined ? {} : { cursor: first.next }),
    });

    expect(first.items.map((item) => item.openSince)).toEqual([atMinute(1)]);
    expect(second.items.map((item) => item.openSince)).toEqual([atMinute(3)]);
    expect((await ledger.listOpen('IN_FLIGHT')).items).toEqual([]);
  });
});

test('a write whose answer was lost, and which the SDK repeats, is ours and no lost race', async () => {
  dynamoDb.dropNextAnswerTo('PutItem');

  const written = await inDynamoDb.write(undefined, guard('lost-answer', 1));

  expect(dynamoDb.requestsTo('PutItem')).toBeGreaterThan(1);
  expect(written).toMatchObject({ version: 1 });
});
