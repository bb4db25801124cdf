import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { uploadsConcurrency } from '../../bench/drain/drain.ts';
import { freshLimitsDocument, limitsPath } from '../../bench/limits/limits-document.ts';
import { billOfUploads } from '../../bench/rows/cost.ts';

let bill: Awaited<ReturnType<typeof billOfUploads>>;

beforeAll(async () => {
  bill = await billOfUploads();
});

const parts = (cost: typeof bill.named) => cost.lines.map(({ name }) => name).toSorted();
const unitsOf = (cost: typeof bill.named, part: string) => cost.lines.find(({ name }) => name === part)?.units ?? 0;

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

test('the whole bill has everything that handling them takes, and is not smaller in any part', () => {
  expect(parts(bill.whole)).toEqual([...parts(bill.named), 'busEvent', 'ledgerRead', 'objectRead'].toSorted());
  for (const { name, units } of bill.named.lines) expect(unitsOf(bill.whole, name)).toBeGreaterThanOrEqual(units);
  // What it came to on 22 November 2026, rounded up: a change that makes it more says so here.
  expect(bill.whole.usd).toBeLessThanOrEqual(5.2);
});

test('uploads that wait for their turn wait in Lambda: the slower the rate, the dearer, and nothing else changes', () => {
  const { atRates, whole } = bill;

  expect(atRates.map(({ rate }) => rate)).toEqual([100, 25, 4]);
  for (const { rate, seconds, whole: paced } of atRates) {
    // Every environment is busy until the last upload is done.
    expect(seconds * rate).toBeGreaterThan(uploadsConcurrency(rate) * 0.95);
    expect(seconds * rate).toBeLessThan(uploadsConcurrency(rate) * 1.05);
    for (const { name, units } of whole.lines.filter((line) => line.name !== 'lambdaGbSecond')) {
      expect(unitsOf(paced, name)).toBe(units);
    }
  }
  const bills = [whole, ...atRates.map((paced) => paced.whole)].map(({ usd }) => usd);
  expect(bills).toEqual(bills.toSorted((one, other) => one - other));
  expect(new Set(bills).size).toBe(bills.length);
});

test('an upload leaves two rows and a key in the index of datasets, which are kept for 400 days', () => {
  const { table, indexes } = bill.one.kept;
  const months = 400 / (365 / 12);

  expect({ table: table > 1000 && table < 1500, indexes: indexes > 150 && indexes < 250 }).toEqual({
    table: true,
    indexes: true,
  });
  expect(parts(bill.keeping)).toEqual(['ledgerGbMonth', 'recoveryGbMonth']);
  expect(unitsOf(bill.keeping, 'ledgerGbMonth')).toBeCloseTo(((table + indexes) / 1000) * months);
  expect(unitsOf(bill.keeping, 'recoveryGbMonth')).toBeCloseTo((table / 1000) * months);
});

test('README.md and docs/reference/performance.md say what it comes to', async () => {
  const said = await Promise.all([textOf('README.md'), textOf('docs/reference/performance.md')]);
  const [readme, performance] = [said[0], said[1].split('\n## What a million uploads cost\n')[1]?.split('\n## ')[0]];
  const { named, whole, atRates, keeping } = bill;

  for (const figure of [whole, keeping]) expect(readme).toContain(`$${figure.usd.toFixed(2)}`);
  for (const figure of [named, whole, ...atRates.map((paced) => paced.whole), keeping]) {
    expect(performance).toContain(`$${figure.usd.toFixed(2)}`);
  }
});

test('docs/reference/limits.md has what the quotas, the counts and the stack make (npm run docs -- limits)', async () => {
  expect(await readFile(limitsPath, 'utf8')).toBe(await freshLimitsDocument());
});

async function textOf(path: string): Promise<string> {
  return readFile(join(import.meta.dirname, '../../..', path), 'utf8');
}
