import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { target } from './target-rows.ts';
import { startDynamoDb, type TestDynamoDb } from './test-dynamodb.ts';

let dynamoDb: TestDynamoDb;
let inDynamoDb: Ledger;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  inDynamoDb = dynamoDb.ledger;
});

afterAll(async () => dynamoDb.close());

const twoNew = (name: string, count = 0) =>
  ['a', 'b'].map((row) => ({ before: undefined, after: target(`${name}-${row}`, count) }));

const refused = (...codes: string[]) => ({
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
  CancellationReasons: codes.map((Code) => ({ Code })),
});
describe.each([
  ['memory', () => createMemoryLedger()],
  ['DynamoDB', () => inDynamoDb],
] as const)('several rows of the ledger in %s', (where, open) => {
  test('reads many rows at once, by key; absent rows are absent, and a key may be named twice', async () => {
    const ledger = open();
    const targets = Array.from({ length: 150 }, (_, n) => target(`${where}-many-${n}`, n));
    for (const row of targets) await ledger.write(undefined, row);
    const { pk: first = '' } = targets[0] ?? {};

    const rows = await ledger.readMany([ledgerKeys.target('unwritten'), first, ...targets.map(({ pk }) => pk)]);

    expect([...rows.keys()].toSorted()).toEqual(targets.map(({ pk }) => pk).toSorted());
    for (const row of targets) expect(rows.get(row.pk)).toMatchObject({ ...row, version: 1 });
    expect(rows.get(first)).toEqual(await ledger.read(first));
    expect(await ledger.readMany([])).toEqual(new Map());
  });

  test('writes several rows at once, each from absent or from what was read, in the order given', async () => {
    const ledger = open();
    const before = await ledger.write(undefined, target(`${where}-all-a`));

    const written = await ledger.writeAll([
      { before, after: target(`${where}-all-a`, 1) },
      { before: undefined, after: target(`${where}-all-b`, 1) },
    ]);

    expect(written).toMatchObject([
      { pk: ledgerKeys.target(`${where}-all-a`), version: 2 },
      { pk: ledgerKeys.target(`${where}-all-b`), version: 1 },
    ]);
    const rows = await ledger.readMany(['a', 'b'].map((name) => ledgerKeys.target(`${where}-all-${name}`)));
    expect([...rows.values()].toSorted((a, b) => a.pk.localeCompare(b.pk))).toEqual(written);
  });

  test.each(['changed', 'present', 'gone'])('writes none of several rows if one is %s', async (how) => {
    const ledger = open();
    const name = `${where}-none-${how}`;
    const first = await ledger.write(undefined, target(`${name}-b`));
    if (how === 'changed') await ledger.write(first, target(`${name}-b`, 1));
    const before = { changed: first, present: undefined, gone: first && { ...first, version: 7 } }[how];

    const written = await ledger.writeAll([
      { before: undefined, after: target(`${name}-a`, 9) },
      { before, after: target(`${name}-b`, 9) },
      { before: undefined, after: target(`${name}-c`, 9) },
    ]);

    expect(written).toBe('row-changed');
    const rows = await ledger.readMany(['a', 'b', 'c'].map((row) => ledgerKeys.target(`${name}-${row}`)));
    expect([...rows.values()]).toMatchObject([{ runs: [{ startId: how === 'changed' ? 'c1' : 'c0' }] }]);
  });

  test('lets one of two transactions on the same rows pass, and the other knows', async () => {
    const ledger = open();
    const name = `${where}-race`;

    const results = await Promise.all([ledger.writeAll(twoNew(name, 1)), ledger.writeAll(twoNew(name, 2))]);

    expect(results.filter((result) => result === 'row-changed')).toHaveLength(1);
    const rows = await ledger.readMany(twoNew(name).map(({ after }) => after.pk));
    expect(new Set([...rows.values()].map(({ writer }) => writer)).size).toBe(1);
  });

  test('writes one change, or none, as it writes a single row', async () => {
    const ledger = open();
    const change = { before: undefined, after: target(`${where}-single`) };

    expect(await ledger.writeAll([])).toEqual([]);
    expect(await ledger.writeAll([change])).toMatchObject([{ pk: change.after.pk, version: 1 }]);
    expect(await ledger.writeAll([change])).toBe('row-changed');
  });

  test('refuses two changes of one row, and writes nothing', async () => {
    const ledger = open();
    const change = { before: undefined, after: target(`${where}-twice`) };

    await expect(ledger.writeAll([change, change])).rejects.toThrow('multiple operations on one item');
    expect(await ledger.read(change.after.pk)).toBeUndefined();
  });
});

describe('a transaction whose answer was lost', () => {
  test('[F14] a lost answer to a transaction is ours: its token marks the repeat', async () => {
    dynamoDb.dropNextAnswerTo('TransactWriteItems');

    const written = await inDynamoDb.writeAll(twoNew('lost-transaction'));

    expect(dynamoDb.requestsTo('TransactWriteItems')).toBe(2);
    expect(dynamoDb.requestsTo('GetItem')).toBe(0);
    expect(written).toMatchObject([{ version: 1 }, { version: 1 }]);
  });

  test('[F14] a lost answer to a transaction is read back if its token is forgotten by then', async () => {
    dynamoDb.forgetTokens();
    dynamoDb.dropNextAnswerTo('TransactWriteItems');

    const written = await inDynamoDb.writeAll(twoNew('forgotten'));

    expect(dynamoDb.requestsTo('TransactWriteItems')).toBe(2);
    expect(dynamoDb.requestsTo('GetItem')).toBe(2);
    expect(written).toMatchObject([{ version: 1 }, { version: 1 }]);
  });
});

describe('what DynamoDB says of a transaction', () => {
  const changes = twoNew('answered');

  test('another write under way at one of its rows is a changed row', async () => {
    dynamoDb.answerNext('TransactWriteItems', refused('None', 'TransactionConflict'));

    expect(await inDynamoDb.writeAll(changes)).toBe('row-changed');
    expect(dynamoDb.requestsTo('GetItem')).toBe(2);
  });

  test('a transaction under way at the row of a single write is a changed row', async () => {
    const conflict = { __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException', message: 'conflict' };
    dynamoDb.answerNext('PutItem', conflict);

    expect(await inDynamoDb.write(undefined, target('answered-single'))).toBeUndefined();
  });

  test.each([['ValidationError'], ['ConditionalCheckFailed', 'ItemCollectionSizeLimitExceeded']])(
    'any other reason is thrown: %s',
    async (...codes) => {
      dynamoDb.answerNext('TransactWriteItems', refused(...codes, 'None'));

      await expect(inDynamoDb.writeAll(changes)).rejects.toThrow(codes.at(-1));
    },
  );

  test('rows that it left unread are asked for again', async () => {
    const row = await inDynamoDb.write(undefined, target('unprocessed'));
    const pk = ledgerKeys.target('unprocessed');
    const Keys = [{ pk: { S: pk } }];
    const left = { Responses: { ledger: [] }, UnprocessedKeys: { ledger: { Keys, ConsistentRead: true } } };
    dynamoDb.answerNext('BatchGetItem', left, 200);

    expect(await inDynamoDb.readMany([pk])).toEqual(new Map([[pk, row]]));
    expect(dynamoDb.requestsTo('BatchGetItem')).toBe(2);
  });
});
