import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type GuardRow, reservationOf, withReservation } from '#shared/ledger/rows/guard-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { aSentStart } from '../../../builders/run-rows.ts';
import { aCommand, campaignId, createUpdateBench, smokeId } from '../update-campaign-runs/harness/update-bench.ts';
import { aConfirmation, aRun, aRunInDoubt, createWatchBench, minute, runId } from './watch-bench.ts';

const interval = { from: '2026-11-20T22:00:00.000Z', until: '2026-11-21T06:00:00.000Z' };
const parked: Partial<CommandRow> = {
  outcome: { kind: 'parked', reason: 'START_OUTCOME_UNKNOWN', at: '2026-11-20T22:01:00.000Z' },
  parked: { message: '{}', queue: 'commands', attempts: 3, firstSeen: interval.from, lastSeen: interval.from },
  mayHaveRun: interval,
  openState: 'PARKED',
  openSince: '2026-11-20T22:01:00.000Z',
};

/** A bench with a start in doubt whose campaign counted 41 runs before it. */
async function inDoubt(command: Partial<CommandRow> = {}, row: RunRow = aRunInDoubt(aConfirmation())) {
  const bench = createWatchBench();
  await bench.start(row, command);
  return {
    ...bench,
    state: async () => (await bench.ledger.read<RunRow>(ledgerKeys.run(runId)))?.state,
    ends: async () => {
      const own = await bench.ledger.read<CommandRow>(ledgerKeys.command('start-1'));
      return own?.outcome?.kind ?? 'no outcome';
    },
    command: () => bench.ledger.read<CommandRow>(ledgerKeys.command('start-1')),
    parkedIds: async () => (await bench.ledger.listOpen('PARKED')).items.map(({ pk }) => pk),
  };
}

describe('a start without an answer whose campaign shows that it began', () => {
  test('is applied, its run is running, and its event is published once', async () => {
    const bench = await inDoubt();
    bench.show({ runCount: 42 });

    await bench.tickFor(10 * minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['running', 'applied']);
    expect(bench.eventsOf('CampaignRunStarted')).toMatchObject([
      { eventId: 'start-1:applied', commandId: 'start-1', campaignRunId: runId, campaign: 'chat-bot' },
    ]);
    expect(bench.linesOf('start_confirmed')).toHaveLength(1);
  });

  test('is applied also if it is parked: no person is asked any more, and the interval stays known', async () => {
    const bench = await inDoubt(parked);
    bench.show({ runCount: 42 });

    await bench.tickFor(minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['running', 'applied']);
    expect(await bench.parkedIds()).toEqual([]);
    const own = await bench.command();
    expect(own?.outcome?.detail).toMatch(/the campaign shows that it began; it may have run from \S+ until \S+$/);
    expect(own?.expiresAt).toBeGreaterThan(0);
  });

  test('keeps its planned stop', async () => {
    const plannedStop = { at: '2026-11-20T22:10:00.000Z', word: 'stopped' };
    const bench = await inDoubt(parked, aRunInDoubt(aConfirmation({ plannedStop })));
    bench.show({ runCount: 42 });

    await bench.tickFor(11 * minute);

    expect(bench.sent).toMatchObject([{ action: 'stop', plannedBy: { startId: 'start-1' } }]);
  });

  test('is settled only within the time that confirm gives', async () => {
    const bench = await inDoubt(parked);
    await bench.tickFor(31 * minute);
    bench.show({ runCount: 42 });

    await bench.tickFor(20 * minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['start-unknown', 'parked']);
    expect(bench.eventsOf('CampaignRunStarted')).toEqual([]);
  });

  test('is not settled while its PATCH is in the air', async () => {
    const start = aSentStart(aConfirmation());
    const lease = { owner: 'attempt-1', until: '2026-11-20T22:00:30.000Z' };
    const { pk, kind, campaignRunId, run, openState, openSince } = aRun();
    const starting = { pk, kind, campaignRunId, run, openState, openSince, lease } as const;
    const bench = await inDoubt({}, { ...starting, state: 'starting', start, before: { state: 'idle' } });
    bench.show({ runCount: 42 });

    await bench.tick();
    expect(await bench.state()).toBe('starting');
    await bench.tickFor(minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['running', 'applied']);
  });

  test('[E41] is not settled by a reading that another start may have moved', async () => {
    const bench = await inDoubt(parked);
    const guard = await bench.ledger.read<GuardRow>(ledgerKeys.guard('chat-bot'));
    if (guard === undefined) throw new Error('no guard row');
    await bench.put(withReservation(guard, reservationOf('another-run', aSentStart({ startId: 'start-2' }))));
    bench.show({ runCount: 42 });

    await bench.tickFor(10 * minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['start-unknown', 'parked']);
    // It used to be noted as confirmed, and its event never came.
    expect(bench.linesOf('start_confirmed')).toEqual([]);
    await bench.tickFor(30 * minute);
    expect(bench.eventsOf('CampaignStartUnconfirmed')).toHaveLength(1);
  });

  test('is settled by the next tick if its rows change meanwhile', async () => {
    const bench = await inDoubt(parked);
    bench.show({ runCount: 42 });
    bench.passMs(minute);

    await bench.tick({ ledger: { ...bench.ledger, writeAll: async () => 'row-changed' } });
    expect(await bench.ends()).toBe('parked');
    await bench.tickFor(minute);

    expect([await bench.state(), await bench.ends()]).toEqual(['running', 'applied']);
    expect(new Set(bench.eventsOf('CampaignRunStarted').map(({ eventId }) => eventId)).size).toBe(1);
  });
});

test('a campaign that shows no start proves nothing: the start stays in doubt, and is not repeated', async () => {
  const bench = await inDoubt(parked);

  await bench.tickFor(60 * minute);

  expect([await bench.state(), await bench.ends()]).toEqual(['start-unknown', 'parked']);
  expect(bench.sent).toEqual([]);
});

test('a start that the worker parked is applied once its campaign counts it, and its message changes nothing more', async () => {
  const worker = createUpdateBench({
    campaignId,
    confirm: { by: 'runCount', within: 'PT30M' },
    campaignAnswers: [
      'ok',
      { status: 500, text: 'down' },
      { status: 500, text: 'down' },
      { status: 500, text: 'down' },
    ],
  });
  const watcher = createWatchBench({ ledger: worker.ledger });
  const gateway = { getCampaign: worker.gateway.getCampaign };
  const config = {
    mode: 'act',
    campaigns: [{ campaignId, names: ['chat-bot'], runs: ['smoke'], target: 'chat-bot' }],
  } as const;
  const command = aCommand({ validFor: 'PT1M' });
  worker.answerWith('applied-then-lost');
  await worker.deliver(command);
  for (const ms of [2 * minute, 2 * minute]) {
    worker.passMs(ms);
    await worker.deliver(command, { receiveCount: 2, sentAt: new Date('2026-11-19T21:00:00Z') });
  }
  const outcome = async () => (await worker.ledger.read<CommandRow>(ledgerKeys.command(command.id)))?.outcome?.kind;
  expect(await outcome()).toBe('parked');

  await watcher.tickFor(10 * minute, { gateway, config });
  await worker.deliver(command, { receiveCount: 3 });

  expect(await outcome()).toBe('applied');
  expect(worker.transitions).toEqual(['aa:running']);
  expect((await worker.ledger.read<RunRow>(ledgerKeys.run(smokeId)))?.state).toBe('running');
});
