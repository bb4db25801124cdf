import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { AskedLedger, OpenPage } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { atMinute, target } from './target-rows.ts';
import { startDynamoDb, type TestDynamoDb } from './test-dynamodb.ts';

const parkedMessage = (id: string, openSince: string): MessageRow => ({
  pk: ledgerKeys.message('commands', id),
  kind: 'message',
  openState: 'PARKED',
  openSince,
});

const applied = (minute: number) => ({ kind: 'applied', at: atMinute(minute) }) as const;

const upload = (key: string, changes: Partial<UploadRow>): UploadRow => ({
  pk: ledgerKeys.upload('uploads', key, 'v1'),
  kind: 'upload',
  state: 'APPLIED',
  bucket: 'uploads',
  key,
  eventTime: atMinute(0),
  attempts: 1,
  crashes: 0,
  ...changes,
});

const instantsOf = ({ items }: OpenPage) => items.map((item) => item.openSince);

let dynamoDb: TestDynamoDb;
let inDynamoDb: AskedLedger;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  inDynamoDb = dynamoDb.ledger;
});

afterAll(async () => dynamoDb.close());

describe.each([
  ['memory', () => createMemoryLedger()],
  ['DynamoDB', () => inDynamoDb],
] as const)('the ledger in %s', (where, open) => {
  test('gives back what was written, with a version that grows', async () => {
    const ledger = open();

    const first = await ledger.write(undefined, target(`${where}-a`));
    const second = await ledger.write(first, target(`${where}-a`, 1));

    expect(first?.version).toBe(1);
    expect(second?.version).toBe(2);
    expect(await ledger.read(ledgerKeys.target(`${where}-a`))).toEqual(second);
  });

  test('keeps what JSON keeps: a field that is undefined is absent, a Date is its text', async () => {
    const ledger = open();
    const at = new Date(atMinute(1));
    const odd = { ...target(`${where}-odd`), noted: at, ended: undefined } as TargetRow;

    const answered = await ledger.write(undefined, odd);
    const together = await ledger.writeAll([
      { before: answered, after: odd },
      { before: undefined, after: { ...odd, pk: ledgerKeys.target(`${where}-odder`) } },
    ]);

    const many = await ledger.readMany([odd.pk]);
    const rows = [
      answered,
      await ledger.read(odd.pk),
      ...many.values(),
      ...(together === 'row-changed' ? [] : together),
    ];
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      expect(row).toHaveProperty('noted', atMinute(1));
      expect(row).not.toHaveProperty('ended');
    }
  });

  test('refuses a row that is too large, and the transaction that it is in', async () => {
    const ledger = open();
    const large = { ...target(`${where}-large`), noted: 'x'.repeat(400 * 1024) } as TargetRow;
    const small = target(`${where}-small`);

    const both = [small, large].map((after) => ({ before: undefined, after }));
    await expect(ledger.write(undefined, large)).rejects.toThrow('Item size has exceeded the maximum allowed size');
    await expect(ledger.writeAll(both)).rejects.toThrow('Item size');
    expect((await ledger.readMany([large.pk, small.pk])).size).toBe(0);
  });

  test('knows nothing of a key that was never written', async () => {
    expect(await open().read(ledgerKeys.target('unwritten'))).toBeUndefined();
  });

  test('refuses to create what is there', async () => {
    const ledger = open();
    await ledger.write(undefined, target(`${where}-b`));

    expect(await ledger.write(undefined, target(`${where}-b`, 9))).toBeUndefined();
    expect(await ledger.read<TargetRow>(ledgerKeys.target(`${where}-b`))).toMatchObject({
      runs: [{ startId: 'c0' }],
    });
  });

  test('refuses the second of two writers that read the same version', async () => {
    const ledger = open();
    const read = await ledger.write(undefined, target(`${where}-c`));

    const results = await Promise.all([
      ledger.write(read, target(`${where}-c`, 1)),
      ledger.write(read, target(`${where}-c`, 2)),
    ]);

    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
  });

  test('[F7] refuses an owner that comes back after another took over and gave back', async () => {
    const ledger = open();
    const zombie = await ledger.write(undefined, target(`${where}-d`));
    await ledger.write(zombie, target(`${where}-d`, 1));

    expect(await ledger.write(zombie, target(`${where}-d`, 2))).toBeUndefined();
  });

  test('lists open rows, oldest first, page by page, and drops those that are closed', async () => {
    const ledger = open();
    for (const minute of [3, 1, 2])
      await ledger.write(undefined, parkedMessage(`${where}-${minute}`, atMinute(minute)));
    const closing = await ledger.read<MessageRow>(ledgerKeys.message('commands', `${where}-2`));
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

  test('lists a state newest first, between two instants, both included, page by page', async () => {
    const ledger = open();
    for (const minute of [1, 2, 3, 4, 5]) {
      await ledger.write(undefined, {
        ...parkedMessage(`${where}-ended-${minute}`, atMinute(minute)),
        openState: 'ENDED',
      });
    }
    const range = { newestFirst: true, since: atMinute(2), until: atMinute(4) } as const;

    const first = await ledger.listOpen('ENDED', { ...range, limit: 2 });
    const second = await ledger.listOpen('ENDED', {
      ...range,
      limit: 2,
      cursor: first.next ?? 'there is no next page',
    });
    const since = await ledger.listOpen('ENDED', { since: atMinute(4) });
    const until = await ledger.listOpen('ENDED', { until: atMinute(1) });

    expect(instantsOf(first)).toEqual([atMinute(4), atMinute(3)]);
    expect(instantsOf(second)).toEqual([atMinute(2)]);
    expect(instantsOf(since)).toEqual([atMinute(4), atMinute(5)]);
    expect(instantsOf(until)).toEqual([atMinute(1)]);
  });

  test('lists nothing of a range that ends before it begins', async () => {
    const ledger = open();
    const row = parkedMessage(`${where}-in-no-range`, atMinute(3));
    await ledger.write(undefined, { ...row, openState: 'ENDED' });

    expect(await ledger.listOpen('ENDED', { since: atMinute(4), until: atMinute(2) })).toEqual({ items: [] });
  });

  test('finds the upload that a dataset was made of, the first of several, and nothing of what is not registered', async () => {
    const ledger = open();
    const later = upload(`${where}-later`, { datasetId: where, outcome: applied(2) });
    const earlier = upload(`${where}-earlier`, { datasetId: where, outcome: applied(1) });
    const duplicate = upload(`${where}-duplicate`, { datasetId: where, state: 'SKIPPED' });
    const long = upload(`${where}-long`, { datasetId: `${where}-${'x'.repeat(3000)}` });
    for (const row of [duplicate, later, earlier, long]) expect(await ledger.write(undefined, row)).toBeDefined();

    expect((await ledger.uploadOfDataset(where))?.pk).toBe(earlier.pk);
    expect((await ledger.uploadOfDataset(long.datasetId ?? ''))?.pk).toBe(long.pk);
    expect(await ledger.uploadOfDataset('never made')).toBeUndefined();
  });

  test('goes on where a page ended, also if its last row has left the state since', async () => {
    const ledger = open();
    for (const minute of [1, 2]) {
      await ledger.write(undefined, {
        ...parkedMessage(`${where}-leaving-${minute}`, atMinute(minute)),
        openState: 'SWITCHED',
      });
    }
    const { next = 'there is no next page' } = await ledger.listOpen('SWITCHED', { limit: 1 });
    const leaving = await ledger.read<MessageRow>(ledgerKeys.message('commands', `${where}-leaving-1`));
    const { openState: _state, openSince: _since, ...closed } = parkedMessage(`${where}-leaving-1`, '');
    await ledger.write(leaving, closed);

    const { items } = await ledger.listOpen('SWITCHED', { cursor: next });

    expect(items.map((item) => item.openSince)).toEqual([atMinute(2)]);
  });
});

test('[F14] a write whose answer was lost, and which the SDK repeats, is ours and no lost race', async () => {
  dynamoDb.dropNextAnswerTo('PutItem');

  const written = await inDynamoDb.write(undefined, target('lost-answer', 1));

  expect(dynamoDb.requestsTo('PutItem')).toBeGreaterThan(1);
  expect(written).toMatchObject({ version: 1 });
});
