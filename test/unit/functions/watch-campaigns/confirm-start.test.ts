import { expect, test } from 'vitest';
import { signOf } from '#functions/watch-campaigns/confirm-start.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  aConfirmation,
  aRun,
  aRunInDoubt,
  campaignId,
  createWatchBench,
  minute,
  runId,
  stopped,
} from './watch-bench.ts';

const rowKey = ledgerKeys.confirmation({ campaignRunId: runId, commandId: 'start-1' });

/** A bench with a run in flight whose start is to be confirmed. */
async function awaiting() {
  const bench = createWatchBench();
  await bench.start(aRun(aConfirmation()));
  return { ...bench, confirmation: () => bench.ledger.read<ConfirmationRow>(rowKey) };
}

test.each([
  ['the count grew', 'runCount', { runCount: 41 }, { runCount: 42 }, 42],
  ['the count stands', 'runCount', { runCount: 41 }, { runCount: 41, lastRunAt: 'later' }, undefined],
  ['the count was set back', 'runCount', { runCount: 41 }, { runCount: 3 }, undefined],
  ['the count is not shown', 'runCount', { runCount: 41 }, {}, undefined],
  ['the count was not shown before', 'runCount', {}, { runCount: 1 }, 1],
  ['the campaign could not be read before', 'runCount', undefined, { runCount: 42 }, undefined],
  ['the instant is another', 'lastRunAt', { lastRunAt: 'earlier' }, { lastRunAt: 'later' }, 'later'],
  ['the instant is the same', 'lastRunAt', { lastRunAt: 'earlier' }, { lastRunAt: 'earlier', runCount: 9 }, undefined],
  ['the instant is not shown', 'lastRunAt', { lastRunAt: 'earlier' }, { runCount: 42 }, undefined],
] as const)('%s', (...[_name, by, before, after, sign]) => {
  expect(signOf({ by }, before, after)).toBe(sign);
});

test('reads the campaign each minute until it shows the sign, and not once more', async () => {
  const bench = await awaiting();

  await bench.tickFor(3 * minute);
  bench.show({ runCount: 42 });
  await bench.tickFor(minute);
  const reads = bench.asked.length;
  await bench.tickFor(3 * minute);

  expect(reads).toBe(4);
  expect(bench.asked).toHaveLength(reads);
  expect(await bench.confirmation()).toMatchObject({
    confirmed: { at: '2026-11-20T22:04:00.000Z', reads: 42 },
    awaited: { commandId: 'start-1', before: 41 },
  });
  expect(bench.linesOf('start_confirmed')).toEqual([
    {
      level: 'info',
      event: 'start_confirmed',
      sentence: `the start of ${runId} is confirmed: runCount of campaign ${campaignId} was 41 and is 42`,
    },
  ]);
  expect(bench.events).toEqual([]);
  expect(bench.told).toContain('answered');
});

test('says once that a start is not confirmed, when its time is over and not before', async () => {
  const bench = await awaiting();

  await bench.tickFor(29 * minute);
  expect(bench.events).toEqual([]);
  await bench.tickFor(minute);
  const answer = await bench.tick();
  await bench.tickFor(60 * minute);

  expect(bench.events).toEqual([
    {
      type: 'CampaignStartUnconfirmed',
      eventId: `unconfirmed:start-1:${runId}@2026-11-20T22:30:00.000Z`,
      campaignRunId: runId,
      run: 'nightly',
      commandId: 'start-1',
      campaignId,
      by: 'runCount',
      before: 41,
      reads: 41,
      until: '2026-11-20T22:30:00.000Z',
      at: '2026-11-20T22:30:00.000Z',
      detail: `the gateway accepted the start of nightly (${runId}), and by 2026-11-20T22:30:00.000Z runCount of campaign ${campaignId} did not show it`,
    },
  ]);
  expect(bench.linesOf('start_unconfirmed')).toMatchObject([{ level: 'warn' }]);
  expect(bench.counted('StartsUnconfirmed')).toEqual([1]);
  expect(answer.summary).toBe('1 run in flight, no stops due; the start of nightly is not confirmed');
});

test('a sign that comes late is noted, and the tick stops complaining', async () => {
  const bench = await awaiting();
  await bench.tickFor(31 * minute);
  bench.show({ runCount: 42 });

  await bench.tickFor(5 * minute);
  const answer = await bench.tick();

  expect(await bench.confirmation()).toMatchObject({
    missingSince: '2026-11-20T22:30:00.000Z',
    confirmed: { reads: 42 },
  });
  expect(bench.linesOf('start_confirmed')[0]?.sentence).toContain('is confirmed after all');
  expect(answer['unconfirmed']).toEqual([]);
});

test('a campaign that cannot be read only delays: nothing is missing before it was seen to be', async () => {
  const bench = await awaiting();
  bench.failWith('lost');

  await bench.tickFor(45 * minute);
  expect(bench.events).toEqual([]);
  expect(bench.told).toContain(`failed ${campaignId}`);
  expect(bench.linesOf('campaign_unread').length).toBeGreaterThan(0);
  bench.failWith(undefined);
  bench.show({ runCount: 42 });
  await bench.tickFor(minute);

  expect(bench.events).toEqual([]);
  expect(await bench.confirmation()).toMatchObject({ confirmed: { reads: 42 } });
});

test('no call is made at a closed gate, and the tick is none the worse', async () => {
  const bench = await awaiting();
  const closed = { waitMs: async () => 30_000, failed: async () => {}, answered: async () => {} };

  await bench.tickFor(45 * minute, { gate: closed });
  const answer = await bench.tick({ gate: closed });

  expect(bench.asked).toEqual([]);
  expect(bench.events).toEqual([]);
  expect(answer).toMatchObject({ unread: 1 });
});

test('no read is begun that its function could not see the end of', async () => {
  const bench = await awaiting();

  await bench.tick({ remainingMs: () => 16_999 });
  expect(bench.asked).toEqual([]);
  await bench.tick({ remainingMs: () => 20_000, rateLimiter: { waitMs: () => 3001, take: async () => {} } });
  expect(bench.asked).toEqual([]);
  await bench.tick({ remainingMs: () => 17_000 });

  expect(bench.asked).toEqual([campaignId]);
});

test('a run that is stopped is waited for no more', async () => {
  const bench = await awaiting();
  await bench.tickFor(minute);
  await bench.put(stopped(aRun()));

  await bench.tickFor(60 * minute);

  expect(bench.events).toEqual([]);
});

test('a start that was sent and never answered is called that', async () => {
  const bench = createWatchBench();
  await bench.start(aRunInDoubt(aConfirmation()));

  await bench.tickFor(30 * minute);

  expect(bench.events[0]?.['detail']).toMatch(/^the start of nightly \(.*\) was sent and never answered, and by /);
});

test('a start whose campaign could not be read before it is never confirmed, and its event says why', async () => {
  const bench = createWatchBench();
  await bench.start(aRun(aConfirmation({ reading: undefined })));
  bench.show({ runCount: 42 });

  await bench.tickFor(30 * minute);

  expect(bench.linesOf('start_confirmed')).toEqual([]);
  expect(bench.eventsOf('CampaignStartUnconfirmed')).toMatchObject([
    { commandId: 'start-1', detail: expect.stringContaining('could not be read before it') },
  ]);
});

test('a start that a person had repeated is waited for again', async () => {
  const bench = await awaiting();
  await bench.tickFor(31 * minute);
  await bench.put(aRun(aConfirmation({ confirm: { by: 'runCount', until: '2026-11-20T23:30:00.000Z' } })));

  await bench.tickFor(60 * minute);

  expect(bench.eventsOf('CampaignStartUnconfirmed').map(({ until }) => until)).toEqual([
    '2026-11-20T22:30:00.000Z',
    '2026-11-20T23:30:00.000Z',
  ]);
});

test('a campaign that is configured no more is read for its start all the same', async () => {
  const bench = await awaiting();
  bench.show({ runCount: 42 });

  await bench.tick({ config: { mode: 'act', campaigns: [] } });

  expect(await bench.confirmation()).toMatchObject({ confirmed: { reads: 42 } });
});

test('a tick that dies after its event sends it once more, under the same id', async () => {
  const bench = await awaiting();
  bench.setNow('2026-11-20T22:30:00.000Z');
  const dying: typeof bench.ledger = {
    ...bench.ledger,
    write: async (before, after) => {
      if (after.kind === 'confirmation') throw new Error('killed');
      return bench.ledger.write(before, after);
    },
  };

  await expect(bench.tick({ ledger: dying })).rejects.toThrow('killed');
  await bench.tickFor(10 * minute);

  expect(bench.eventsOf('CampaignStartUnconfirmed')).toHaveLength(2);
  expect(new Set(bench.events.map(({ eventId }) => eventId)).size).toBe(1);
});
