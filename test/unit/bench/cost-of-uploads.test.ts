import { beforeAll, expect, test } from 'vitest';
import { uploadsBatchSize } from '../../../infra/config/concurrency.ts';
import { billOfUploads } from '../../bench/rows/cost.ts';

let bill: Awaited<ReturnType<typeof billOfUploads>>;

beforeAll(async () => {
  bill = await billOfUploads();
});

const parts = (cost: typeof bill.named) => cost.lines.map(({ name }) => name).toSorted();

test('an applied upload is three writes of a KB each, one read of its row and one of its object', () => {
  const { writes, writeUnits, indexWriteUnits, reads, readUnits, objectReads, events } = bill.one;

  expect(writes).toEqual(['dataset', 'upload SENDING', 'upload APPLIED']);
  expect({ rows: writeUnits - indexWriteUnits, indexes: indexWriteUnits }).toEqual({ rows: 3, indexes: 3 });
  expect({ reads, readUnits, objectReads, events }).toEqual({ reads: 1, readUnits: 1, objectReads: 1, events: 0 });
});

test('and one line of the log, with a tenth of its metrics and of what Lambda writes: 400 bytes at most', () => {
  expect(bill.batch.logLines).toBe(uploadsBatchSize + 1);
  expect(bill.batch.logBytes / uploadsBatchSize).toBeLessThanOrEqual(400);
});

test('what the bar names is within the bar: $2.70 a million', () => {
  expect(parts(bill.named)).toEqual(['lambdaGbSecond', 'lambdaRequest', 'ledgerWrite', 'logGb', 'sqsRequest']);
  expect(bill.named.usd).toBeLessThanOrEqual(2.7);
});

test('the whole bill has everything that is paid for, and is not smaller in any part', () => {
  expect(parts(bill.whole)).toEqual([...parts(bill.named), 'busEvent', 'ledgerRead', 'objectRead'].toSorted());
  for (const { name, units } of bill.named.lines) {
    expect(bill.whole.lines.find((line) => line.name === name)?.units).toBeGreaterThanOrEqual(units);
  }
  // What it came to on 22 November 2026, rounded up: whoever makes it more says so here and in docs/adr/0024-one-read-of-a-file.md.
  expect(bill.whole.usd).toBeLessThanOrEqual(5.2);
});
