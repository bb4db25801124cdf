import { expect, test } from 'vitest';
import { ledgerOfMode } from '#functions/_handler/observe.ts';
import type { WatchDeps } from '#functions/watch-campaigns/watched-campaign.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import { type GuardRow, reservationsAt } from '#shared/ledger/rows/guard-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunIdPool, type RunIdPoolRow, withUsed } from '#shared/ledger/rows/run-id-pool-row.ts';
import { aCommand, createUpdateBench, nightlyIds } from '../update-campaign-runs/harness/update-bench.ts';
import { aConfirmation, aDeferredStart, aRun, aRunInDoubt, createWatchBench, minute } from './watch-bench.ts';

const six = '2027-01-04T06:00:00.000Z';

function failing(message: string) {
  return async (): Promise<void> => {
    throw new Error(message);
  };
}

/** A stop that is due, a start whose blackout is over, and a start that waits for its sign. */
async function aBusyMinute() {
  const bench = createWatchBench();
  await bench.put(
    aRun(aConfirmation({ plannedStop: { at: six, word: 'stopped' }, confirm: { by: 'runCount', until: six } })),
  );
  await bench.put(aDeferredStart());
  bench.setNow(six);
  return bench;
}

test('does everything, stops first, and says it in one sentence', async () => {
  const bench = await aBusyMinute();

  const answer = await bench.tick();

  expect(bench.sent.map(({ action }) => action)).toEqual(['stop', 'start']);
  expect(bench.events.map(({ type }) => type)).toEqual(['CampaignStartUnconfirmed']);
  expect(answer).toMatchObject({
    summary: [
      '1 run in flight, 1 stop due',
      'nightly starts: the blackout year-end freeze is over',
      'the start of nightly is not confirmed',
    ].join('; '),
    inFlight: 1,
    due: 1,
    late: 0,
    unread: 0,
  });
});

test('a stop goes out before anything is asked of the gateway', async () => {
  const bench = await aBusyMinute();
  const sentBefore: number[] = [];
  const gateway: WatchDeps['gateway'] = {
    async getCampaign() {
      sentBefore.push(bench.sent.length);
      throw new Error('a client that is broken');
    },
  };

  await expect(bench.tick({ gateway })).rejects.toThrow('a client that is broken');

  expect(sentBefore).toEqual([2]);
  expect(bench.linesOf('failed')).toEqual([
    { level: 'error', event: 'failed', sentence: 'a part of this tick failed: a client that is broken' },
  ]);
});

test.each([
  ['RUN_IN_FLIGHT', ['start'], []],
  ['DEFERRED', ['stop'], ['CampaignStartUnconfirmed']],
] as const)('if %s cannot be listed the rest is done, and the tick fails', async (state, actions, events) => {
  const bench = await aBusyMinute();
  const ledger: WatchDeps['ledger'] = {
    ...bench.ledger,
    listOpen: async (asked, range) => {
      if (asked === state) throw new Error(`${asked} is not there`);
      return bench.ledger.listOpen(asked, range);
    },
  };

  await expect(bench.tick({ ledger })).rejects.toThrow(`${state} is not there`);

  expect(bench.sent.map(({ action }) => action)).toEqual(actions);
  expect(bench.events.map(({ type }) => type)).toEqual(events);
});

test('if the queue takes nothing, campaigns are looked at, and everything is sent once it does', async () => {
  const bench = await aBusyMinute();
  const send = failing('the queue is not there');

  await expect(bench.tick({ commands: { send } })).rejects.toThrow('the queue is not there');
  expect(bench.events).toHaveLength(1);
  await bench.tickFor(minute);

  expect(bench.sent.map(({ action }) => action)).toEqual(['stop', 'start']);
});

test('if the bus takes nothing, stops and starts go out, and the event follows', async () => {
  const bench = await aBusyMinute();
  const publish = failing('the bus is not there');

  await expect(bench.tick({ bus: { publish } })).rejects.toThrow('the bus is not there');
  expect(bench.sent).toHaveLength(2);
  await bench.tickFor(minute);

  expect(bench.events).toHaveLength(1);
  expect(bench.counted('StartsUnconfirmed')).toEqual([1]);
});

test('without anything to do it makes no call', async () => {
  const bench = createWatchBench();

  const answer = await bench.tick({ config: { mode: 'act', campaigns: [] } });

  expect(answer.summary).toBe('no runs in flight, no stops due');
  expect(bench.asked).toEqual([]);
  expect(bench.counted('StopsLate')).toEqual([0]);
});

const ends = '2026-11-21T06:00:00.000Z';
const parked = { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN', at: '2026-11-20T22:30:00.000Z' } as const;

/** A bench that also says what the guards and a stop by name still know of a run. */
function createBench(...options: Parameters<typeof createWatchBench>) {
  const bench = createWatchBench(...options);
  const { ledger } = bench;
  return {
    ...bench,
    async known() {
      const guard = await ledger.read<GuardRow>(ledgerKeys.guard('chat-bot'));
      const pool = await ledger.read<RunIdPoolRow>(ledgerKeys.runIdPool('nightly'));
      const listed = (await readOpenRuns(ledger)).length;
      return { listed, reserved: reservationsAt(guard, bench.now()).length, live: pool?.live.length };
    },
  };
}

const inFlight = { listed: 1, reserved: 1, live: 1 };
const gone = { listed: 0, reserved: 0, live: 0 };

test('a run without a planned stop is closed within a minute of its end, and no command goes out', async () => {
  const bench = createBench();
  await bench.start(aRun());
  bench.setNow('2026-11-21T05:59:59.000Z');

  await bench.tick();
  expect(await bench.known()).toEqual(inFlight);
  bench.passMs(minute);
  const answer = await bench.tick();

  expect(await bench.known()).toEqual(gone);
  expect(bench.sent).toEqual([]);
  expect(answer).toMatchObject({ closed: ['nightly'], summary: expect.stringContaining('nightly is closed') });
  expect(bench.linesOf('run_closed')).toMatchObject([{ level: 'info' }]);
});

test('a run with a planned stop is never closed: it waits for its stop', async () => {
  const bench = createBench();
  await bench.start(aRun({ plannedStop: { at: ends, word: 'stopped' } }));
  bench.setNow('2026-11-24T06:00:00.000Z');

  await bench.tick();

  expect(await bench.known()).toEqual(inFlight);
});

test.each([
  ['has no outcome stays open', undefined, { listed: 1, live: 1 }],
  ['is parked is closed', parked, { listed: 0, live: 0 }],
])('a run whose start in doubt %s', async (_name, outcome, known) => {
  const bench = createBench();
  await bench.start(aRunInDoubt(), { outcome });
  bench.setNow(ends);

  await bench.tick();

  expect(await bench.known()).toMatchObject(known);
});

test('a run that was started again since the index was read is judged by its new start', async () => {
  const bench = createBench();
  await bench.start(aRun(), { outcome: { kind: 'applied', at: '2026-11-20T22:00:01.000Z' } });
  const listed = await bench.ledger.listOpen('RUN_IN_FLIGHT');
  await bench.start(aRunInDoubt({ startId: 'start-2' }));
  bench.setNow(ends);
  const stale = { items: listed.items };
  const listOpen: typeof bench.ledger.listOpen = async (state, range) =>
    state === 'RUN_IN_FLIGHT' ? stale : bench.ledger.listOpen(state, range);

  await bench.tick({ ledger: { ...bench.ledger, listOpen } });

  expect(await bench.known()).toMatchObject({ listed: 1, live: 1 });
});

test('a run whose rows change meanwhile is closed by the next tick', async () => {
  const bench = createBench();
  await bench.start(aRun());
  bench.setNow(ends);

  const answer = await bench.tick({ ledger: { ...bench.ledger, writeAll: async () => 'row-changed' } });
  expect(answer).toMatchObject({ closed: [] });
  await bench.tickFor(minute);

  expect(await bench.known()).toEqual(gone);
});

test('one run that cannot be closed keeps no other open, and the tick fails', async () => {
  const bench = createBench();
  await bench.put(aRun({ startId: 'bad' }, { campaignRunId: 'bad' }));
  await bench.start(aRun());
  bench.setNow(ends);
  const readMany: typeof bench.ledger.readMany = async (keys) => {
    if (keys.includes(ledgerKeys.run('bad'))) throw new Error('throttled');
    return bench.ledger.readMany(keys);
  };

  await expect(bench.tick({ ledger: { ...bench.ledger, readMany } })).rejects.toThrow('throttled');

  expect((await readOpenRuns(bench.ledger)).map(({ campaignRunId }) => campaignRunId)).toEqual(['bad']);
});

test('a stage that observes closes what would have run, and no real run', async () => {
  const table = createMemoryLedger();
  const observed = createBench({ mode: 'observe', ledger: ledgerOfMode('observe', table) });
  const acting = createBench({ ledger: ledgerOfMode('act', table) });
  await acting.start(aRun());
  await observed.start(aRun());
  observed.setNow(ends);

  await observed.tick();

  expect(await observed.known()).toMatchObject({ listed: 0, reserved: 0 });
  expect(await acting.known()).toMatchObject({ listed: 1, live: 1 });
});

test('a start of the same campaign is applied once the run before it is closed, and a stop by name stops that start alone', async () => {
  const worker = createUpdateBench();
  const watcher = createBench({ ledger: worker.ledger });
  const [first, second] = nightlyIds;
  await watcher.start(aRun({ until: '2026-11-20T22:10:00.000Z' }, { campaignRunId: first }));
  await watcher.put(withUsed(newRunIdPool('nightly'), first, 'start-1'));
  worker.passMs(11 * minute);
  watcher.passMs(11 * minute);
  await watcher.tick();

  await worker.deliver(aCommand({ id: 'next', run: 'nightly', issuedAt: worker.now().toISOString() }));
  worker.passMs(minute);
  const stop = { id: 'stop', action: 'stop', run: 'nightly', issuedAt: worker.now().toISOString() } as const;
  await worker.deliver(aCommand(stop));

  expect(worker.patches).toMatchObject([
    { campaignRunId: second, status: 'running' },
    { campaignRunId: second, status: 'stopped' },
  ]);
});
