import { describe, expect, test } from 'vitest';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { SentCommandsRow } from '#shared/ledger/rows/campaign-row.ts';
import type { InFlight } from '#shared/ledger/rows/target-row.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { failing } from '../../../builders/ports.ts';
import { aRunInFlight, commandRow, runCommand, targetRow } from '../../../builders/run-rows.ts';
import { createWatchBench, hour, minute, outcomeAt, runId, triedAt } from './watch-bench.ts';

const ends = '2026-11-21T06:00:00.000Z';
const planned = commandIds.plannedStop('start-1');
const end = commandIds.end('start-1');

/** A bench at an instant, with these runs in flight; no campaign is to show a start. */
async function benchAt(instant: string, ...entries: readonly InFlight[]) {
  const bench = createWatchBench();
  const unconfirmed = entries.map((entry) => ({ ...entry, campaignId: undefined }));
  await bench.put(targetRow(...unconfirmed));
  bench.setNow(instant);
  return { ...bench, ids: () => bench.sent.map(({ id }) => id) };
}

/** A person's stop that ordered the end of the run at one in the morning. */
const byHand = {
  version: 1,
  id: 'by-hand',
  action: 'stop',
  run: 'nightly',
  issuedAt: '2026-11-21T01:00:00.000Z',
  origin: { kind: 'operator', name: 'ann' },
} as const;
const stopping = aRunInFlight({ state: 'stopping', orderedBy: 'by-hand' });

describe('a planned stop', () => {
  test('is sent once its time has come, as a command of that start that the worker takes', async () => {
    const bench = await benchAt(ends, aRunInFlight());

    const answer = await bench.tick();

    expect(answer).toMatchObject({ inFlight: 1, due: 1, late: 0 });
    expect(parseCampaignRunCommand(JSON.stringify(bench.sent[0]), bench.now())).toEqual({
      ok: true,
      command: {
        version: 1,
        id: planned,
        action: 'stop',
        campaignRunId: runId,
        startId: 'start-1',
        issuedAt: ends,
        origin: { kind: 'watcher', name: 'watch-campaigns' },
        reason: 'planned by its start',
      },
    });
  });

  test('is not sent a moment too early, and never of a run that plans none and runs', async () => {
    const bench = await benchAt('2026-11-21T05:59:59.999Z', aRunInFlight());
    await bench.tick();
    await bench.put(targetRow(aRunInFlight({ plansStop: false, campaignId: undefined })));
    bench.passMs(minute);

    await bench.tick();

    expect(bench.sent).toEqual([]);
    expect(bench.counted('StopsLate')).toEqual([0, 0]);
  });

  test.each(['starting', 'stopping'] as const)(
    'is sent to a run that plans none and is %s past its end',
    async (state) => {
      const bench = await benchAt(ends, aRunInFlight({ plansStop: false, state, unanswered: 1 }));
      await bench.put(commandRow(undefined, triedAt(ends)));
      await bench.put(commandRow(byHand, triedAt(ends)));

      await bench.tick();

      expect(bench.ids()).toContain(planned);
      bench.passMs(5 * minute);
      expect(await bench.tick()).toMatchObject({ late: 0 });
    },
  );

  test('is sent once, however many ticks find it due, and again after an hour without an outcome', async () => {
    const bench = await benchAt(ends, aRunInFlight());

    await bench.tick();
    await bench.tickFor(59 * minute);
    expect(bench.ids()).toEqual([planned]);
    await bench.tickFor(minute);

    expect(bench.ids()).toEqual([planned, planned]);
    expect(bench.sent[1]).toMatchObject({ issuedAt: ends });
  });

  test('is not sent a second time while workers try it', async () => {
    const bench = await benchAt(ends, aRunInFlight());
    await bench.tick();
    const [stop = byHand] = bench.sent;
    bench.setNow('2026-11-21T07:30:00.000Z');
    await bench.put(commandRow(stop, triedAt('2026-11-21T07:31:00.000Z')));

    await bench.tickFor(hour);

    expect(bench.ids()).toEqual([planned]);
  });

  test('goes out by the first tick after everything was down, and says that it is late', async () => {
    const bench = await benchAt('2026-11-21T06:30:00.000Z', aRunInFlight());

    const answer = await bench.tick();

    expect(answer).toMatchObject({ late: 1 });
    expect(bench.sent[0]?.reason).toMatch(/^planned by its start, sent 30 minutes late$/);
    expect(bench.counted('StopsLate')).toEqual([1]);
    expect(bench.linesOf('command_sent')).toMatchObject([{ level: 'warn' }]);
  });

  test('of a run that a stage began before it only observed is late, and is not sent', async () => {
    const [acting, observing] = [createMemoryLedger(), createMemoryLedger()];
    const bench = createWatchBench({ mode: 'observe', ledger: observing });
    await acting.write(undefined, targetRow(aRunInFlight()));
    await observing.write(undefined, targetRow(aRunInFlight({ startId: 'observed' })));
    bench.setNow('2026-11-21T06:30:00.000Z');

    const answer = await bench.tick({ acting });

    expect(answer).toMatchObject({ inFlight: 1, due: 1, late: 2 });
    expect(bench.sent).toMatchObject([{ startId: 'observed' }]);
  });

  test('that a person has to decide about is not sent again', async () => {
    const bench = await benchAt(ends, aRunInFlight());
    await bench.tick();
    const [stop = byHand] = bench.sent;
    await bench.put(commandRow(stop, outcomeAt(ends, 'parked')));

    await bench.tickFor(59 * minute);
    await bench.tickFor(3 * hour);

    expect(bench.ids()).toEqual([planned]);
  });

  test('goes out for each of many runs, and is forgotten once they are gone', async () => {
    const entries = Array.from({ length: 250 }, (_, n) => aRunInFlight({ startId: `start-${n}` }));
    const bench = await benchAt(ends, ...entries);

    await bench.tick();
    expect(new Set(bench.ids()).size).toBe(250);
    await bench.put(targetRow());
    await bench.tickFor(minute);

    expect(await bench.ledger.read<SentCommandsRow>(ledgerKeys.sentCommands('due-stops'))).toMatchObject({ sent: {} });
  });

  test('of a tick that died before it remembered is sent again as the same command', async () => {
    const bench = await benchAt(ends, aRunInFlight());
    const dying = { ...bench.ledger, write: async () => Promise.reject(new Error('killed')) };

    await expect(bench.tick({ ledger: dying })).rejects.toThrow('killed');
    await bench.tickFor(minute);

    expect(bench.ids()).toEqual([planned, planned]);
  });

  test('goes out though nothing else of the ledger can be read, and the tick fails', async () => {
    const bench = await benchAt(ends, aRunInFlight(), { ...stopping, startId: 'start-2' });

    await expect(
      bench.tick({ ledger: { ...bench.ledger, readMany: failing(new Error('throttled')) } }),
    ).rejects.toThrow('throttled');

    expect(bench.ids()).toContain(planned);
  });
});

describe('a run whose end was ordered', () => {
  test.each([
    ['by a stop that never arrived', undefined, 'did not arrive'],
    ['by a stop that no worker has tried for an hour', triedAt('2026-11-21T01:01:00.000Z'), 'no worker has tried'],
  ])('%s gets the stop of its start', async (_name, attempt, reason) => {
    const bench = await benchAt('2026-11-21T02:01:00.000Z', stopping);
    if (attempt !== undefined) await bench.put(commandRow(byHand, attempt));

    await bench.tick();

    const sent = { id: end, action: 'stop', campaignRunId: runId, issuedAt: '2026-11-21T02:01:00.000Z' };
    expect(bench.sent).toMatchObject([{ ...sent, startId: 'start-1', reason: expect.stringContaining(reason) }]);
    expect(parseCampaignRunCommand(JSON.stringify(bench.sent[0]), bench.now())).toMatchObject({ ok: true });
  });

  test('gets it once an hour, until it has its outcome', async () => {
    const bench = await benchAt('2026-11-21T02:01:00.000Z', stopping);
    await bench.tick();
    await bench.tickFor(59 * minute);
    expect(bench.ids()).toEqual([end]);
    await bench.tickFor(minute);
    expect(bench.ids()).toEqual([end, end]);
    await bench.put(commandRow({ ...byHand, id: end }, outcomeAt('2026-11-21T03:02:00.000Z', 'parked')));

    await bench.tickFor(2 * hour);

    expect(bench.ids()).toEqual([end, end]);
  });

  test('is left to a stop that a worker tried within the hour', async () => {
    const bench = await benchAt('2026-11-21T02:00:59.000Z', stopping);
    await bench.put(commandRow(byHand, triedAt('2026-11-21T01:01:00.000Z')));

    await bench.tick();

    expect(bench.sent).toEqual([]);
    expect(await bench.inFlight()).toMatchObject([{ state: 'stopping' }]);
  });

  test('by its planned stop gets that alone, each hour', async () => {
    const bench = await benchAt(ends, { ...stopping, orderedBy: planned });

    await bench.tickFor(61 * minute);

    expect(bench.ids()).toEqual([planned, planned]);
  });

  test('is running again once that stop has its outcome, and its planned stop stays armed', async () => {
    const bench = await benchAt('2026-11-21T02:00:00.000Z', stopping);
    await bench.put(commandRow(byHand, outcomeAt('2026-11-21T01:30:00.000Z', 'parked')));

    const answer = await bench.tick();
    bench.setNow(ends);
    await bench.tick();

    const [entry] = (await bench.inFlight()) ?? [];
    expect(entry).toMatchObject({ state: 'running', endsAt: ends, plansStop: true });
    expect(entry).not.toHaveProperty('orderedBy');
    expect(answer).toMatchObject({ released: ['nightly'] });
    expect(bench.linesOf('run_released')).toMatchObject([{ level: 'warn' }]);
    expect(bench.ids()).toEqual([planned]);
  });
});

describe('a start without an answer', () => {
  const inDoubt = aRunInFlight({ state: 'starting', unanswered: 1 });
  const start = runCommand();

  test('is sent again as it was sent once no worker has tried it for an hour', async () => {
    const bench = await benchAt('2026-11-20T22:59:59.000Z', inDoubt);
    await bench.put(commandRow(start));

    await bench.tick();
    expect(bench.sent).toEqual([]);
    bench.passMs(1000);
    await bench.tick();

    expect(bench.sent).toEqual([start]);
  });

  test.each([
    ['while workers try it', triedAt('2026-11-21T01:00:00.000Z')],
    ['once it has its outcome', outcomeAt('2026-11-20T22:05:00.000Z')],
  ])('is not sent again %s', async (_name, fields) => {
    const bench = await benchAt('2026-11-21T01:59:00.000Z', inDoubt);
    await bench.put(commandRow(start, fields));

    await bench.tick();

    expect(bench.sent).toEqual([]);
  });
});

describe('a run past its end', () => {
  test('counts no longer if it plans no stop, and no command goes out', async () => {
    const bench = await benchAt('2026-11-21T05:59:59.000Z', aRunInFlight({ plansStop: false }));

    await bench.tick();
    expect(await bench.inFlight()).toHaveLength(1);
    bench.passMs(minute);
    const answer = await bench.tick();

    expect(await bench.inFlight()).toEqual([]);
    expect((await bench.ledger.listOpen('RUN_IN_FLIGHT')).items).toEqual([]);
    expect(answer).toMatchObject({
      countedOut: ['nightly'],
      summary: expect.stringContaining('nightly counts as in flight no longer'),
    });
    expect(bench.sent).toEqual([]);
    expect(bench.linesOf('run_counted_out')).toMatchObject([{ level: 'info' }]);
  });

  test('keeps the minimum gap: its campaign remembers when it was due', async () => {
    const bench = await benchAt(ends, aRunInFlight({ plansStop: false }));

    await bench.tick();

    expect(await bench.ledger.read(ledgerKeys.target('chat-bot'))).toMatchObject({
      lastDue: { 'chat-bot': '2026-11-20T22:00:00.000Z' },
    });
  });

  test.each([
    ['as long as its stop has no outcome', triedAt('2026-11-24T06:00:00.000Z'), 1],
    ['within the hour after the outcome of its stop', outcomeAt('2026-11-24T05:00:01.000Z', 'parked'), 1],
    ['no more an hour after that', outcomeAt('2026-11-24T05:00:00.000Z', 'parked'), 0],
  ])('counts, if it plans a stop, %s', async (_name, fields, count) => {
    const bench = await benchAt('2026-11-24T06:00:00.000Z', aRunInFlight());
    await bench.put(commandRow({ ...byHand, id: planned }, fields));

    await bench.tick();

    expect(await bench.inFlight()).toHaveLength(count);
  });

  test.each(['starting', 'stopping'] as const)('counts while it is %s', async (state) => {
    const bench = await benchAt('2026-11-24T06:00:00.000Z', aRunInFlight({ state, unanswered: 1, plansStop: false }));

    await bench.tick();

    expect(await bench.inFlight()).toMatchObject([{ state }]);
  });

  test('is counted out of a row alone that is still as it was listed', async () => {
    const bench = await benchAt(ends, aRunInFlight({ plansStop: false }));
    const { items } = await bench.ledger.listOpen('RUN_IN_FLIGHT');
    const again = aRunInFlight({ startId: 'start-2', state: 'starting', unanswered: 1, campaignId: undefined });
    await bench.put(targetRow(again));
    const listOpen: typeof bench.ledger.listOpen = async (state) => ({ items: state === 'RUN_IN_FLIGHT' ? items : [] });

    const answer = await bench.tick({ ledger: { ...bench.ledger, listOpen } });

    expect(answer).toMatchObject({ countedOut: [] });
    expect(await bench.inFlight()).toMatchObject([{ startId: 'start-2' }]);
  });

  test('of a stage that observes is counted out there, and no real run is', async () => {
    const [acting, observing] = [createMemoryLedger(), createMemoryLedger()];
    const bench = createWatchBench({ mode: 'observe', ledger: observing });
    for (const ledger of [acting, observing])
      await ledger.write(undefined, targetRow(aRunInFlight({ plansStop: false })));
    bench.setNow(ends);

    await bench.tick({ acting });

    expect(await bench.inFlight()).toEqual([]);
    expect((await acting.listOpen('RUN_IN_FLIGHT')).items).toHaveLength(1);
  });
});
