import { expect, test } from 'vitest';
import type { PoolDeps } from '#functions/watch-campaigns/pools/pool-calls.ts';
import { aRunInFlight, targetRow } from '../../../builders/run-rows.ts';
import { failing } from '../../../builders/ports.ts';
import { aDeferredStart, createWatchBench, minute, makesNoRuns } from './watch-bench.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';

const six = '2027-01-04T06:00:00.000Z';

/** A stop that is due, a start whose blackout is over, and a start that waits for its sign. */
async function aBusyMinute() {
  const bench = createWatchBench();
  await bench.put(targetRow(aRunInFlight({ endsAt: six })));
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
  const gateway: PoolDeps['gateway'] = {
    ...makesNoRuns,
    readCampaignRun: failing(new Error('a client that is broken')),
    async getCampaign() {
      sentBefore.push(bench.sent.length);
      throw new Error('a client that is broken');
    },
  };

  await expect(bench.tick({ gateway })).rejects.toThrow('a client that is broken');

  expect(sentBefore).toEqual([2]);
  expect(bench.linesOf('failed')).toMatchObject([
    { level: 'error', sentence: 'a part of this tick failed: a client that is broken' },
  ]);
});

test.each([
  ['RUN_IN_FLIGHT', ['start'], []],
  ['DEFERRED', ['stop'], ['CampaignStartUnconfirmed']],
] as const)('if %s cannot be listed the rest is done, and the tick fails', async (state, actions, events) => {
  const bench = await aBusyMinute();
  const ledger: PoolDeps['ledger'] = {
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
  const send = failing(new Error('the queue is not there'));

  await expect(bench.tick({ commands: { send } })).rejects.toThrow('the queue is not there');
  expect(bench.events).toHaveLength(1);
  await bench.tickFor(minute);

  expect(bench.sent.map(({ action }) => action)).toEqual(['stop', 'start']);
});

test('if the bus takes nothing, stops and starts go out, and the event follows', async () => {
  const bench = await aBusyMinute();
  const publish = failing(new Error('the bus is not there'));

  await expect(bench.tick({ bus: { publish } })).rejects.toThrow('the bus is not there');
  expect(bench.sent).toHaveLength(2);
  await bench.tickFor(minute);

  expect(bench.events).toHaveLength(1);
  expect(bench.counted('StartsUnconfirmed')).toEqual([1]);
});

test('without anything to do it makes no call', async () => {
  const bench = createWatchBench();

  const answer = await bench.tick({ config: { mode: 'act', gateway: aResolvedGateway() } });

  expect(answer.summary).toBe('no runs in flight, no stops due');
  expect(bench.asked).toEqual([]);
  expect(bench.counted('StopsLate')).toEqual([0]);
});
