import { expect, test } from 'vitest';
import type { CampaignReading, ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, isFreeId } from '#shared/ledger/rows/run-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { aRunInFlight, commandRow, idRow, runCommand, targetRow } from '../../../builders/run-rows.ts';
import { campaignId, createWatchBench, hour, minute, outcomeAt, runId } from './watch-bench.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';

const otherId = '019ba000-0000-7000-8000-000000000399';

/** A bench with a run in flight that began at ten by its `startAt`, and that its campaign is to show. */
async function awaiting(fields: Partial<InFlight> = {}, startAt = '2026-11-20T22:01:00.000Z') {
  const bench = createWatchBench();
  const entry = aRunInFlight(fields);
  await bench.put(targetRow(entry));
  const { startId } = entry;
  await bench.put(commandRow(runCommand({ id: startId }), { startAt, ...outcomeAt('2026-11-20T22:00:01.000Z') }));
  await bench.put(idRow({ startId }));
  return { ...bench, confirmation: () => bench.ledger.read<ConfirmationRow>(ledgerKeys.confirmation(runId)) };
}

test('a campaign is read from the startAt of its run, each minute, until it shows the run', async () => {
  const bench = await awaiting();

  await bench.tick();
  expect(bench.asked).toEqual([]);
  await bench.tickFor(3 * minute);
  bench.show({ lastRun: runId });
  await bench.tickFor(minute);
  await bench.tickFor(hour);

  expect(bench.asked).toEqual(Array.from({ length: 4 }, () => campaignId));
  expect(await bench.confirmation()).toMatchObject({
    startId: 'start-1',
    run: 'nightly',
    campaignId,
    confirmed: { at: '2026-11-20T22:04:00.000Z', by: 'lastRun' },
  });
  const sentence = `campaign ${campaignId} shows the start of ${runId} by lastRun`;
  expect(bench.linesOf('start_confirmed')).toMatchObject([{ level: 'info', sentence }]);
  expect(bench.events).toEqual([]);
  expect(bench.told).toContain('answered');
});

test.each<readonly [string, CampaignReading, 'lastRun' | 'lastRunAt' | undefined]>([
  ['names the run in capitals', { lastRun: runId.toUpperCase() }, 'lastRun'],
  ['names another run, that began before', { lastRun: otherId, lastRunAt: '2026-11-20T21:58:59.999Z' }, undefined],
  ['began a run two minutes before, by its own clock', { lastRunAt: '2026-11-20T21:59:00.000Z' }, 'lastRunAt'],
  ['began a run later', { lastRunAt: '2026-11-20T23:05:00+01:00' }, 'lastRunAt'],
  ['shows a time that cannot be read', { lastRunAt: 'tonight' }, undefined],
  ['shows nothing', {}, undefined],
  ['counts one run more', { runCount: 42 }, undefined],
])('a campaign that %s shows the start by %o.%s', async (_name, reading, by) => {
  const bench = await awaiting();
  bench.show(reading);

  await bench.tickFor(10 * minute);

  expect((await bench.confirmation())?.confirmed?.by).toBe(by);
});

test('a start that is not shown is reported once, when its time has ended and not before', async () => {
  const bench = await awaiting();

  await bench.tickFor(30 * minute);
  expect(bench.events).toEqual([]);
  await bench.tickFor(minute);
  const answer = await bench.tick();
  await bench.tickFor(hour);

  expect(bench.events).toEqual([
    {
      type: 'CampaignStartUnconfirmed',
      eventId: 'unconfirmed:start-1',
      campaignRunId: runId,
      run: 'nightly',
      commandId: 'start-1',
      campaignId,
      startAt: '2026-11-20T22:01:00.000Z',
      lastRunAt: '2026-11-19T22:00:04.118Z',
      until: '2026-11-20T22:31:00.000Z',
      at: '2026-11-20T22:31:00.000Z',
      detail: 'the gateway accepted the start of nightly, and its campaign does not show it',
    },
  ]);
  expect(bench.linesOf('start_unconfirmed')).toMatchObject([{ level: 'warn' }]);
  expect(bench.counted('StartsUnconfirmed')).toEqual([1]);
  expect(answer.summary).toBe('1 run in flight, no stops due; the start of nightly is not confirmed');
});

test('it decides nothing about the run: a start that is not shown stays in flight', async () => {
  const bench = await awaiting();
  const before = await bench.inFlight();

  await bench.tickFor(2 * hour);

  expect(await bench.inFlight()).toEqual(before);
  expect(bench.sent).toEqual([]);
});

test('a run that is shown late is noted within five minutes, and the tick stops complaining', async () => {
  const bench = await awaiting();
  await bench.tickFor(44 * minute);
  expect(bench.asked).toHaveLength(33);
  bench.show({ lastRun: runId });

  await bench.tickFor(minute);
  const answer = await bench.tick();

  expect(await bench.confirmation()).toMatchObject({
    missingSince: '2026-11-20T22:31:00.000Z',
    confirmed: { by: 'lastRun' },
  });
  expect(bench.linesOf('start_confirmed')[0]?.sentence).toMatch(/by lastRun, late$/);
  expect(answer['unconfirmed']).toEqual([]);
});

test('a campaign that cannot be read only delays: nothing is missing before it was seen to be', async () => {
  const bench = await awaiting();
  bench.show('lost');

  await bench.tickFor(45 * minute);
  expect(bench.events).toEqual([]);
  expect(bench.told).toContain(`failed ${campaignId}`);
  expect(bench.linesOf('campaign_unread').length).toBeGreaterThan(0);
  bench.show({ lastRun: runId });
  await bench.tickFor(minute);

  expect(bench.events).toEqual([]);
  expect(await bench.confirmation()).toMatchObject({ confirmed: { by: 'lastRun' } });
});

test('no call is made while the gateway connection is down, and the tick is none the worse', async () => {
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
  bench.passMs(minute);

  await bench.tick({ remainingMs: () => 16_999 });
  expect(bench.asked).toEqual([]);
  await bench.tick({ remainingMs: () => 20_000, rateLimiter: { waitMs: () => 3001, take: async () => {} } });
  expect(bench.asked).toEqual([]);
  await bench.tick({ remainingMs: () => 17_000 });

  expect(bench.asked).toEqual([campaignId]);
});

test.each<readonly [string, Partial<InFlight>]>([
  ['that is being stopped', { state: 'stopping', orderedBy: 'by-hand' }],
  ['whose start was answered and is to be repeated', { state: 'starting', unanswered: 0 }],
  ['of a campaign without an id', { campaignId: undefined }],
  ['whose campaign confirms nothing', { confirmWithin: undefined }],
])('a run %s is waited for no more', async (_name, fields) => {
  const bench = await awaiting(fields);

  await bench.tickFor(10 * minute);

  expect(bench.asked).toEqual([]);
});

test('a start that was sent and never answered is called that', async () => {
  const bench = await awaiting({ state: 'starting', unanswered: 1 });

  await bench.tickFor(31 * minute);

  expect(bench.events[0]?.['detail']).toBe('the start of nightly has no answer yet, and its campaign does not show it');
});

test('without a startAt, as at a gateway that starts by a word, the start counts from its due', async () => {
  const bench = await awaiting();
  await bench.put(commandRow());

  await bench.tickFor(30 * minute);

  expect(bench.events).toMatchObject([{ startAt: '2026-11-20T22:00:00.000Z', until: '2026-11-20T22:30:00.000Z' }]);
});

test('an id that was given back and used again is confirmed for its new start', async () => {
  const bench = await awaiting({ startId: 'start-2' });
  const earlier = { campaignRunId: runId, startId: 'start-1', run: 'nightly', campaignId };
  const missingSince = '2026-11-19T22:30:00.000Z';
  await bench.put({ pk: ledgerKeys.confirmation(runId), kind: 'confirmation', ...earlier, missingSince });
  bench.show({ lastRun: runId });

  await bench.tickFor(2 * minute);

  expect(await bench.confirmation()).toMatchObject({ startId: 'start-2', confirmed: { by: 'lastRun' } });
  expect(await bench.confirmation()).not.toHaveProperty('missingSince');
});

test('one read serves every start of its campaign', async () => {
  const bench = await awaiting();
  const second = aRunInFlight({ startId: 'start-2', campaignRunId: otherId });
  await bench.put(targetRow(aRunInFlight(), second));
  bench.show({ lastRunAt: '2026-11-20T22:01:30.000Z' });

  await bench.tickFor(5 * minute);

  expect(bench.asked).toHaveLength(1);
  expect(bench.linesOf('start_confirmed')).toHaveLength(2);
});

test('a last run that no start of this stage used is kept for status, once, and its id is free for no start', async () => {
  const bench = await awaiting();
  bench.show({ lastRun: otherId, lastRunAt: '2026-11-20T21:30:00.000Z' });

  await bench.tickFor(3 * minute);

  expect(await bench.confirmation()).toMatchObject({
    lastRun: otherId,
    lastRunAt: '2026-11-20T21:30:00.000Z',
    version: 1,
  });
  expect(await bench.confirmation()).not.toHaveProperty('confirmed');
  expect(isFreeId(await bench.ledger.read<IdRow>(ledgerKeys.runId(otherId)))).toBe(false);
});

test('a last run of our own is none of others', async () => {
  const bench = await awaiting();
  await bench.put(idRow({ campaignRunId: otherId, startId: 'last-night' }));
  bench.show({ lastRun: otherId, lastRunAt: '2026-11-20T21:30:00.000Z' });

  await bench.tickFor(3 * minute);

  expect(await bench.confirmation()).toBeUndefined();
});

test('a tick that dies after its event sends it once more, under the same id', async () => {
  const bench = await awaiting();
  bench.setNow('2026-11-20T22:31:00.000Z');
  const dying: typeof bench.ledger = {
    ...bench.ledger,
    writeAll: async (changes) => {
      if (changes.some(({ after }) => after.kind === 'confirmation')) throw new Error('killed');
      return bench.ledger.writeAll(changes);
    },
  };

  await expect(bench.tick({ ledger: dying })).rejects.toThrow('killed');
  await bench.tickFor(10 * minute);

  expect(bench.eventsOf('CampaignStartUnconfirmed')).toHaveLength(2);
  expect(new Set(bench.events.map(({ eventId }) => eventId)).size).toBe(1);
});

test('a stage that observes starts nothing, so no campaign is to show it', async () => {
  const bench = await awaiting();

  await bench.tickFor(hour, {
    config: { mode: 'observe', gateway: aResolvedGateway() },
  });

  expect(bench.asked).toEqual([]);
  expect(bench.events).toEqual([]);
});
