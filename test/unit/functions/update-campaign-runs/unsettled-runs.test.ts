import { expect, test } from 'vitest';
import { closingsOf } from '#shared/ledger/close-run.ts';
import { resolveDismiss } from '#shared/ledger/resolve-parked.ts';
import { at, deliverUntil } from './harness/deliver-until.ts';
import {
  commandOf,
  dueStop,
  nightly,
  operator,
  outcomeOf,
  plannedStopsOf,
  reservedOf,
} from './harness/guard-nights.ts';
import { mortalWorker } from './harness/mortal-worker.ts';
import { aCommand, campaignId, configWith, createUpdateBench, nightlyIds, smokeId } from './harness/update-bench.ts';

test.each([['in order'], ['the stop first']])(
  '[C3] I5: a start by uuid and a later stop by name leave the run stopped: %s',
  async (order) => {
    const bench = createUpdateBench();
    const start = aCommand({ id: 'start', campaignRunId: nightlyIds[0], origin: operator });
    const stop = nightly('stop', { action: 'stop', issuedAt: '2026-11-20T22:05:00Z', origin: operator });
    bench.passMs(at(6) - bench.now().getTime());

    for (const command of order === 'in order' ? [start, stop] : [stop, start]) await bench.deliver(command);

    expect([...bench.statuses.values()]).not.toContain('running');
    expect((await outcomeOf(bench, 'start'))?.kind).toBe(order === 'in order' ? 'applied' : 'superseded');
  },
);

test.each([
  ['the start sends the planned stop', at(31)],
  ['the watcher sent it before', at(30)],
])('back to back, the start after an outage of five minutes is not skipped: %s', async (_who, dueMs) => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand({ id: 's1' }));
  const stops = (await plannedStopsOf(bench)).map(dueStop);
  bench.answerWith(...Array.from({ length: 6 }, () => ({ status: 429, text: 'busy', retryAfterMs: 60_000 })));
  const s2 = aCommand({ id: 's2', issuedAt: '2026-11-20T22:30:00.000Z' });
  const s3 = aCommand({ id: 's3', issuedAt: '2026-11-20T23:00:00.000Z' });

  await deliverUntil(
    bench,
    [{ atMs: at(30, 1), command: s2 }, ...stops.map((command) => ({ atMs: dueMs, command }))],
    at(50),
  );
  const next = (await plannedStopsOf(bench)).map((planned) => ({
    atMs: Math.max(at(61), Date.parse(planned.at)),
    command: dueStop(planned),
  }));
  await deliverUntil(bench, [{ atMs: at(60, 1), command: s3 }, ...next], at(90));

  expect(await outcomeOf(bench, 's2')).toMatchObject({ kind: 'applied' });
  expect(await outcomeOf(bench, 's3')).toMatchObject({ kind: 'applied' });
});

type Bench = ReturnType<typeof createUpdateBench>;

/** `autopilot parked resolve --dismiss`. */
async function dismiss(bench: Bench, id: string): Promise<void> {
  const row = await commandOf(bench, id);
  const resolved = row && resolveDismiss(row, { by: 'ann', reason: 'it ended', at: bench.now() });
  if (row === undefined || resolved?.ok !== true) throw new Error(`${id} is not parked`);
  const closings = await closingsOf(row, bench.now(), bench.ledger);
  await bench.ledger.writeAll([{ before: row, after: resolved.row }, ...closings]);
}

test('a planned stop that is dismissed under another stop does not hold the campaign for ever', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand({ id: 's1' }));
  const [due] = (await plannedStopsOf(bench)).map(dueStop);
  if (due === undefined) throw new Error('no stop is planned');
  const byHand = { action: 'stop', campaignRunId: smokeId, origin: operator } as const;
  const x = aCommand({ id: 'x', ...byHand, issuedAt: '2026-11-20T22:40:00.000Z' });
  const refused = { status: 422, text: 'this run has ended' };
  bench.answerWith(refused, 'not-sent', refused);

  await deliverUntil(
    bench,
    [
      { atMs: at(31), command: due },
      { atMs: at(40), command: x },
    ],
    at(40),
  );
  await dismiss(bench, due.id);
  bench.passMs(60_000);
  await bench.deliver(x, { receiveCount: 2 });
  await dismiss(bench, 'x');
  bench.passMs(3_600_000);
  await bench.deliver(aCommand({ id: 's2', issuedAt: bench.now().toISOString() }));

  expect(await outcomeOf(bench, 's2')).toMatchObject({ kind: 'applied' });
  expect(await reservedOf(bench)).toEqual([smokeId]);
});

test('I5: an update waits until the request of an earlier one can land no more, also if its worker died', async () => {
  const bench = createUpdateBench();
  const of = { action: 'update', origin: operator } as const;
  const earlier = aCommand({ id: 'u1', ...of, name: 'one' });
  const later = aCommand({ id: 'u2', ...of, name: 'two', issuedAt: '2026-11-20T22:00:10Z' });
  const killedAtItsPatch = mortalWorker(bench, { killAfter: 2 });

  await bench.deliver(earlier, killedAtItsPatch);
  bench.passMs(31_000);
  const result = await bench.deliver(later);

  // Its lease ended a second ago: its request may take effect for 59 seconds more, and clocks differ.
  expect(result).toMatchObject({ kind: 'later' });
  expect(bench.patches.map(({ name }) => name)).toEqual(['one']);
});

test('a start in doubt that overrides its validity is parked once its run would be over', async () => {
  const { smoke } = configWith({ campaignId, longestRun: 'PT1H' }).runs;
  if (smoke === undefined) throw new Error('no run is configured');
  const bench = createUpdateBench({ runs: { smoke: { ...smoke, stopAfter: undefined } } });
  const override = { guards: ['validity' as const], reason: 'INC-77' };
  const first = aCommand({ id: 's1', origin: operator, override });
  const next = aCommand({ id: 's2', issuedAt: '2026-11-21T04:00:00.000Z' });
  bench.answerWith({ status: 500, text: 'sorry' });

  await deliverUntil(
    bench,
    [
      { atMs: at(0), command: first },
      { atMs: at(360), command: next },
    ],
    at(480),
  );

  expect(await outcomeOf(bench, 's1')).toMatchObject({ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' });
  expect((await outcomeOf(bench, 's2'))?.reason).not.toBe('MISSED_WINDOW');
});
