import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import type { JsonObject } from '#local/template/json.ts';
import { startLocalAws } from '../start-local-aws.ts';

const TableName = 'App-Ledger';

const aws = await startLocalAws();
const dynamo = new DynamoDBClient(aws.developer);
afterAll(aws.close);
let pks: { a: string; b: string; c: string };
let cases = 0;
beforeEach(() => {
  cases += 1;
  pks = { a: `a-${cases}`, b: `b-${cases}`, c: `c-${cases}` };
});

const item = (pk: string, value = 'new') => ({ pk: { S: pk }, value: { S: value } });
const put = (pk: string, value?: string): TransactWriteItem => ({ Put: { TableName, Item: item(pk, value) } });
const ifAbsent = (pk: string): TransactWriteItem => ({
  Put: { TableName, Item: item(pk), ConditionExpression: 'attribute_not_exists(pk)' },
});

async function transact(TransactItems: TransactWriteItem[], ClientRequestToken?: string, client = dynamo) {
  return client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }));
}

async function write(pk: string, value: string): Promise<void> {
  await dynamo.send(new PutItemCommand({ TableName, Item: item(pk, value) }));
}

async function valueOf(pk: string, { developer } = aws): Promise<string | undefined> {
  const client = new DynamoDBClient(developer);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true }));
  client.destroy();
  return Item?.['value']?.S;
}

describe('a transaction', () => {
  test('writes nothing if one condition fails, and gives a reason for each item in order', async () => {
    await write(pks.b, 'old');

    const shown = { TableName, Item: item(pks.b), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    await write(pks.c, 'old');
    const refused = transact([put(pks.a), { Put: { ...ifAbsent(pks.b).Put, ...shown } }, ifAbsent(pks.c)]);

    await expect(refused).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      message:
        'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, ConditionalCheckFailed]',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', Item: item(pks.b, 'old') },
        expect.not.objectContaining({ Item: expect.anything() }),
      ],
    });
    expect(await Promise.all([pks.a, pks.b].map(async (pk) => valueOf(pk)))).toEqual([undefined, 'old']);
  });

  test('of two at the same time one is applied, and the other finds its rows', async () => {
    for (const pk of Object.values(pks)) await write(pk, '0');
    const applied: number[] = [];

    for (let round = 1; round <= 20; round += 1) {
      const twice = [`${round}x`, `${round}y`].map(async (value) =>
        transact(Object.values(pks).map((pk) => ({ Put: { ...ifUnlike(pk, round), Item: item(pk, value) } }))),
      );
      const results = await Promise.allSettled(twice);
      applied.push(results.filter(({ status }) => status === 'fulfilled').length);
    }

    expect(new Set(applied)).toEqual(new Set([1]));
    expect(new Set(await Promise.all(Object.values(pks).map(async (pk) => valueOf(pk)))).size).toBe(1);
  });

  test('with its token again succeeds and writes nothing; with another request it is refused', async () => {
    await transact([put(pks.a)], `token-${pks.a}`);
    await write(pks.a, 'newer');

    await transact([put(pks.a)], `token-${pks.a}`);
    const other = transact([put(pks.b)], `token-${pks.a}`);

    await expect(other).rejects.toMatchObject({ name: 'IdempotentParameterMismatchException' });
    expect(await valueOf(pks.a)).toBe('newer');
    expect(await valueOf(pks.b)).toBeUndefined();
  });

  test('that was cancelled may come again with its token', async () => {
    await write(pks.a, 'old');
    await expect(transact([ifAbsent(pks.a)], `again-${pks.a}`)).rejects.toThrow('ConditionalCheckFailed');
    await transact([{ Delete: { TableName, Key: { pk: { S: pks.a } } } }]);

    await transact([ifAbsent(pks.a)], `again-${pks.a}`);

    expect(await valueOf(pks.a)).toBe('new');
  });

  test.each<[string, () => TransactWriteItem[], string]>([
    ['no item', () => [], 'Too small'],
    ['more than 100 items', () => Array.from({ length: 101 }, (_, n) => put(`many-${n}`)), 'Too big'],
    ['one row twice', () => [put('twice'), put('twice', 'other')], 'multiple operations on one item'],
    [
      'an item of two kinds',
      () => [{ ...put('kinds'), Delete: { TableName, Key: item('kinds') } }],
      'only contain one',
    ],
    ['an item without its key', () => [{ Put: { TableName, Item: { value: { S: 'x' } } } }], 'Missing the key pk'],
    [
      'a condition that cannot be read',
      () => [put('fine'), { Put: { TableName, Item: item('odd'), ConditionExpression: 'attribute_not_exists(' } }],
      'Invalid ConditionExpression',
    ],
  ])('with %s is a ValidationException and writes nothing', async (_what, items, message) => {
    await expect(transact(items())).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining(message),
    });
    expect(await Promise.all(['many-0', 'twice', 'kinds', 'fine'].map(async (pk) => valueOf(pk)))).toEqual(
      Array.from({ length: 4 }),
    );
  });
});

// What a kill at that moment leaves is the same: nothing is stored before the end of the work.
test('a transaction that breaks off after its writes leaves none of them, and is written when it comes again', async () => {
  const engine = await startDynamoDbEngine();
  await engine.call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  let isFull = true;
  const transactWrite = createTransactions({
    engine: {
      atomically: (work) =>
        engine.atomically(async (atomic) => {
          const result = await work(atomic);
          if (isFull) throw new Error('the disk is full');
          return result;
        }),
    },
  });
  const input = {
    TransactItems: ['a', 'b'].map((pk) => ({ Put: { TableName, Item: item(pk) } })),
    ClientRequestToken: 'token',
  };
  const stored = async () => (await engine.call('Scan', { TableName }))['Items'];

  await expect(transactWrite(input)).rejects.toThrow('the disk is full');
  expect(await stored()).toEqual([]);
  isFull = false;
  await transactWrite(input);

  expect(await stored()).toHaveLength(2);
  await engine.close();
});

function ifUnlike(pk: string, round: number) {
  return {
    TableName,
    Item: item(pk),
    ConditionExpression: 'NOT begins_with(#value, :round)',
    ExpressionAttributeNames: { '#value': 'value' },
    ExpressionAttributeValues: { ':round': { S: String(round) } },
  };
}

describe('the rights of a transaction', () => {
  const resource: JsonObject = { 'Fn::GetAtt': ['Ledger', 'Arn'] };
  const allow = (...actions: string[]): JsonObject => ({ Effect: 'Allow', Action: actions, Resource: resource });
  const check: TransactWriteItem = {
    ConditionCheck: { TableName, Key: { pk: { S: 'x' } }, ConditionExpression: 'attribute_not_exists(pk)' },
  };

  test('are those of its items, each on its table', async () => {
    await using local = await startLocalAws({ grants: [allow('dynamodb:PutItem')] });
    const worker = new DynamoDBClient(local.worker);

    await transact([put('a')], undefined, worker);
    const checked = transact([put('b'), check], undefined, worker);

    await expect(checked).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('dynamodb:ConditionCheckItem'),
    });
    expect(await valueOf('a', local)).toBe('new');
    expect(await valueOf('b', local)).toBeUndefined();
    worker.destroy();
  });

  test('are not given by the right to the transaction itself, nor reads of several rows by GetItem', async () => {
    await using local = await startLocalAws({ grants: [allow('dynamodb:TransactWriteItems', 'dynamodb:GetItem')] });
    const worker = new DynamoDBClient(local.worker);

    await expect(transact([put('a')], undefined, worker)).rejects.toThrow('dynamodb:PutItem');
    const RequestItems = { [TableName]: { Keys: [{ pk: { S: 'a' } }] } };
    await expect(worker.send(new BatchGetItemCommand({ RequestItems }))).rejects.toThrow('dynamodb:BatchGetItem');
    worker.destroy();
  });
});
