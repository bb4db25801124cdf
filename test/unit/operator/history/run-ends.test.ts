import { describe, expect, test } from 'vitest';
import { command } from '#cli/reports/history.ts';
import { type HistoryEntry, historyPage } from '#operator/history/history-entry.ts';
import type { HistoryRange } from '#operator/history/history.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { blackout, hours, nightly, operator } from '../../functions/update-campaign-runs/harness/guard-nights.ts';
import {
  nightlyOfProject,
  aCommand,
  createUpdateBench,
} from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { argumentsOf, fakeDeps, textOf } from '../fake-deps.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const dayMs = hours(24);
const fourOClock = '2026-11-21T04:00:00.000Z';

async function send(bench: Bench, fields: Partial<CampaignRunCommand>): Promise<void> {
  bench.passMs(1000);
  await bench.deliver(aCommand({ issuedAt: bench.now().toISOString(), ...fields }));
}

const depsOf = (bench: Bench) => {
  const { deps } = fakeDeps();
  return { ...deps, now: async () => bench.now(), stage: { ...deps.stage, ledger: async () => bench.table } };
};

/** Entries of the history by the ids of their commands. */
async function entriesOf(bench: Bench, range: HistoryRange = {}): Promise<Readonly<Record<string, HistoryEntry>>> {
  const { entries } = await historyPage(range, 50, depsOf(bench));
  return Object.fromEntries(entries.map((entry) => [entry.id, entry]));
}

describe('a past start', () => {
  test('has its campaign and its times, and the stop that ended its run', async () => {
    const bench = createUpdateBench();
    await send(bench, { id: 'a' });
    await send(bench, { id: 'stop-a', action: 'stop', origin: operator });

    const { a } = await entriesOf(bench);
    const row = await bench.commandOf('a');

    expect(a).toMatchObject({
      campaign: 'chat-bot',
      campaignRunId: row?.campaignRunId,
      stopId: 'stop-a',
      run: {
        state: 'cancelled',
        says: expect.stringMatching(/^cancelled .* by operator ann, before it began$/),
        startAt: row?.startAt,
        endedAt: bench.now().toISOString(),
      },
    });
  });

  test('that a stop found ended says so: when it ended is not known', async () => {
    const bench = createUpdateBench();
    await send(bench, { id: 'a' });
    bench.answerWith({ status: 409, text: 'over' });
    await send(bench, { id: 'stop-a', action: 'stop', origin: operator });

    const { a, 'stop-a': stop } = await entriesOf(bench);

    expect(stop).toMatchObject({ outcome: 'skipped', reason: 'ALREADY_ENDED' });
    expect(a).toMatchObject({ stopId: 'stop-a', run: { state: 'over' } });
    const shown = textOf(await command.run(argumentsOf(command, '--verbose'), depsOf(bench)));
    expect(shown).toMatch(/run is +had ended when its stop came, /);
  });

  test('that nothing stops has no end while it counts as in flight, and then it ends by itself', async () => {
    const bench = createUpdateBench({ runs: { nightly: nightlyOfProject } });
    await send(bench, { id: 'a', run: 'nightly' });
    const row = await bench.commandOf('a');
    const inFlight = (await entriesOf(bench))['a'];

    bench.passMs(7 * dayMs);
    const over = (await entriesOf(bench))['a'];

    expect(inFlight).toMatchObject({ outcome: 'applied' });
    expect(inFlight?.run?.endedAt).toBeUndefined();
    expect(over?.run).toMatchObject({ state: 'over', endedAt: row?.facts?.endsAt });
  });
});

test('a start that was deferred tells from when until when, also once it is applied', async () => {
  const bench = createUpdateBench({ blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', fourOClock)] });
  const putOffAt = bench.now().toISOString();
  await bench.deliver(nightly('a'));
  bench.passMs(hours(6) + 60_000);
  await bench.deliver(nightly('a'));

  const deferred = { from: putOffAt, until: fourOClock, blackout: 'year-end' };
  expect((await entriesOf(bench))['a']).toMatchObject({ outcome: 'applied', refusals: [], deferred });
  const deps = depsOf(bench);
  const words = `from ${putOffAt} until ${fourOClock} by the blackout year-end`;
  expect(textOf(await command.run(argumentsOf(command), deps))).toContain(`; deferred ${words.slice(0, 4)}`);
  expect(textOf(await command.run(argumentsOf(command, '--verbose'), deps))).toContain(`  deferred  ${words}`);
});

test('a second blackout keeps the instant at which the first one put the start off', async () => {
  const blackouts = [
    blackout('defer', '2026-11-20T21:00:00.000Z', fourOClock),
    { ...blackout('defer', fourOClock, '2026-11-21T05:00:00.000Z'), name: 'patching' },
  ];
  const bench = createUpdateBench({ blackouts });
  const putOffAt = bench.now().toISOString();
  await bench.deliver(nightly('a'));
  bench.passMs(hours(6) + 60_000);
  await bench.deliver(nightly('a'));

  const deferred = { from: putOffAt, until: '2026-11-21T05:00:00.000Z', blackout: 'patching' };
  expect((await entriesOf(bench))['a']).toMatchObject({ outcome: 'deferred', deferred });
});
