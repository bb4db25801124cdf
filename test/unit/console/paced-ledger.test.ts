import { expect, test } from 'vitest';
import { pacedLedger } from '#console/server/paced-ledger.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** A paced ledger over one that notes what it is asked for. */
function bench() {
  const ledger = createMemoryLedger();
  const [asked, versions]: [string[], number[]] = [[], []];
  let elapsedMs = 0;
  const noting = {
    ...ledger,
    readMany: async (pks: readonly string[]) => {
      asked.push(`rows ${pks.length}`);
      return ledger.readMany(pks);
    },
    listOpen: async (...args: Parameters<AskedLedger['listOpen']>) => {
      asked.push(`list ${args[0]}`);
      return ledger.listOpen(...args);
    },
  } as AskedLedger;
  const paced = pacedLedger(noting, {
    elapsedMs: () => elapsedMs,
    onOutcomes: (version) => void versions.push(version),
  });
  /** One look of the page: the last outcomes, and what ended within a day. */
  const look = async (since: string) => {
    await paced.read(ledgerKeys.recent());
    return paced.listOpen('ENDED', { since });
  };
  return { ledger, paced, asked, versions, look, passMs: (ms: number) => void (elapsedMs += ms) };
}

test('rows that are asked for in one moment are one request, each row once', async () => {
  const { paced, asked } = bench();

  await Promise.all([paced.read('run#a'), paced.read('run#a'), paced.readMany(['run#a', 'run#b']), paced.readMany([])]);
  await paced.read('run#a');

  expect(asked).toEqual(['rows 2', 'rows 1']);
});

test('a question that is under way is not asked a second time, and its answer is not kept', async () => {
  const { paced, asked } = bench();

  await Promise.all([paced.listOpen('PARKED'), paced.listOpen('PARKED'), paced.listOpen('DEFERRED')]);
  await paced.listOpen('PARKED');

  expect(asked).toEqual(['list PARKED', 'list DEFERRED', 'list PARKED']);
});

test('what ended within a day is read again once something ends, else after two minutes', async () => {
  const { ledger, asked, versions, look, passMs } = bench();
  const lists = () => asked.filter((one) => one === 'list ENDED').length;
  await rememberRecentOutcomes(ledger, []);

  await look('2026-11-20T20:00:00Z');
  await look('2026-11-20T20:00:15Z');
  const unchanged = lists();
  await rememberRecentOutcomes(ledger, []);
  await look('2026-11-20T20:00:30Z');
  const ended = lists();
  passMs(121_000);
  await look('2026-11-20T20:02:31Z');

  expect([unchanged, ended, lists()]).toEqual([1, 2, 3]);
  expect(versions).toEqual([1, 1, 2, 2]);
});

test('a list that failed is asked for again', async () => {
  const { ledger } = bench();
  let calls = 0;
  const failing = { ...ledger, listOpen: async () => Promise.reject(new Error(`call ${(calls += 1)}`)) } as AskedLedger;
  const paced = pacedLedger(failing, { elapsedMs: () => 0, onOutcomes: () => {} });

  for (const call of ['call 1', 'call 2'])
    await expect(paced.listOpen('ENDED', { since: '2026-11-20T20:00:00Z' })).rejects.toThrow(call);
});
