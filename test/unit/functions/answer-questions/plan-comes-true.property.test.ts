import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { Previewed } from '#shared/messages/questions.ts';
import { campaignId, tenOClock, aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const runs = propertyRuns(40);
const halfHourMs = 30 * 60_000;
const until = new Date(tenOClock + 200 * halfHourMs);

/** Commands of some days, each at a half hour of its own. */
const nights = fc
  .uniqueArray(
    fc.record({
      halfHours: fc.integer({ min: 1, max: 150 }),
      action: fc.constantFrom('start' as const, 'start' as const, 'stop' as const),
      run: fc.constantFrom('nightly', 'smoke'),
    }),
    { minLength: 1, maxLength: 9, selector: ({ halfHours }) => halfHours },
  )
  .map((drawn) =>
    drawn
      .toSorted((a, b) => a.halfHours - b.halfHours)
      .map(({ halfHours, action, run }) => {
        const issuedAt = new Date(tenOClock + halfHours * halfHourMs).toISOString();
        return aCommand({ id: `s@${issuedAt}`, action, run, issuedAt });
      }),
  );

/**
 * Never at the half hour of a command or of a stop: then their order would be the queue's affair.
 */
const betweenHalfHours = (halfHours: number) => new Date(tenOClock + halfHours * halfHourMs + 60_000).toISOString();

const blackouts = fc.option(
  fc
    .record({
      from: fc.integer({ min: 0, max: 80 }),
      lasts: fc.integer({ min: 1, max: 60 }),
      starts: fc.constantFrom('skip' as const, 'defer' as const),
    })
    .map(({ from, lasts, starts }): ResolvedBlackout => {
      return {
        name: 'freeze',
        starts,
        window: { kind: 'once', from: betweenHalfHours(from), to: betweenHalfHours(from + lasts) },
      };
    }),
  { nil: undefined },
);

const campaign = fc.record(
  {
    mode: fc.constantFrom('act' as const, 'act' as const, 'observe' as const),
    overlap: fc.constantFrom('skip' as const, 'stop-previous' as const, 'allow' as const),
    startsPerMonth: fc.constantFrom(1, 2, 3),
    minimumGap: fc.constantFrom('PT2H', 'PT12H'),
  },
  { requiredKeys: ['mode', 'overlap'] },
);

type Bench = ReturnType<typeof createUpdateBench>;

/** A message, and what the plan says about it. */
interface Promised {
  readonly message: CampaignRunCommand;
  readonly previewed: Previewed;
}

/** The message that brings it about: of the schedule, or of the watcher that finds a stop due. */
async function promisedOf(
  previewed: Previewed,
  commands: readonly CampaignRunCommand[],
  { ledger }: Bench,
): Promise<CampaignRunCommand> {
  const command = commands.find(({ id }) => id === previewed.id);
  if (command !== undefined && previewed.origin.kind !== 'watcher') return command;
  const start = await ledger.read<CommandRow>(ledgerKeys.command(previewed.id));
  return {
    version: 1,
    id: commandIds.plannedStop(previewed.id),
    action: 'stop',
    campaignRunId: start?.campaignRunId ?? '',
    startId: previewed.id,
    issuedAt: previewed.at,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    isObserved: start?.isObserved,
  };
}

/** Delivers what a plan names, each at its instant and again until it has ended. */
async function liveThrough(
  plan: readonly Previewed[],
  commands: readonly CampaignRunCommand[],
  bench: Bench,
): Promise<readonly Promised[]> {
  const promises: Promised[] = [];
  const coming = plan.map((previewed) => ({ atMs: Date.parse(previewed.at), previewed, receiveCount: 1 }));
  for (let next = coming.shift(); next !== undefined; next = coming.shift()) {
    const { atMs, previewed, receiveCount } = next;
    bench.passMs(atMs - bench.now().getTime());
    const message = await promisedOf(previewed, commands, bench);
    const result = await bench.deliver(message, { receiveCount, sentAt: new Date(previewed.at) });
    for (const stop of bench.sent.splice(0)) await bench.deliver(stop);
    if (result.kind === 'later') {
      const again = { atMs: atMs + result.delayMs, previewed, receiveCount: receiveCount + 1 };
      // Of one instant planned stops come last, as in a plan: the watcher finds them within a
      // minute.
      const isLater = ({ atMs: otherMs, previewed: other }: typeof next) =>
        otherMs > again.atMs || (otherMs === again.atMs && other.origin.kind === 'watcher');
      const index = coming.findIndex(isLater);
      coming.splice(index === -1 ? coming.length : index, 0, again);
      continue;
    }
    // What a blackout defers ends later under the same id.
    if (previewed.outcome === 'deferred') await expectDeferred(message, previewed, bench);
    else promises.push({ message, previewed });
  }
  return promises;
}

async function expectDeferred({ id }: CampaignRunCommand, { until: end }: Previewed, { ledger }: Bench): Promise<void> {
  const row = await ledger.read<CommandRow>(ledgerKeys.command(id));
  expect([row?.outcome, row?.deferred?.until]).toEqual([undefined, end]);
}

/** Requests as text, in no order: a start may send the planned stop of its own run. */
const asTexts = (requests: readonly { readonly path: string; readonly body: Readonly<Record<string, unknown>> }[]) =>
  requests
    .map(({ path, body: { name, status, startAt, preserve } }) => [path, name, status, startAt, preserve].join(' '))
    .toSorted();

/** Asks for a plan of what comes, and lives through it as far as it goes. */
async function expectComesTrue(
  commands: readonly CampaignRunCommand[],
  all: readonly CampaignRunCommand[],
  end: Date,
  bench: Bench,
): Promise<void> {
  const rowsBefore = structuredClone(bench.table.all());
  const sentBefore = bench.patches.length;

  const { commands: plan, mode } = await bench.preview(commands, end);

  expect(bench.patches.length).toBe(sentBefore);
  expect(bench.table.all()).toEqual(rowsBefore);
  for (const { message, previewed } of await liveThrough(plan, all, bench)) {
    const row = await bench.ledger.read<CommandRow>(ledgerKeys.command(message.id));
    expect([message.id, row?.outcome?.kind, row?.outcome?.reason]).toEqual([
      message.id,
      previewed.outcome,
      previewed.reason,
    ]);
  }
  const sent = bench.patches
    .slice(sentBefore)
    .map(({ campaignRunId, ...body }) => ({ path: `/backend/v1/campaign-runs/${campaignRunId}`, body }));
  // A stage that observes sends none of them.
  expect(asTexts(sent)).toEqual(mode === 'observe' ? [] : asTexts(plan.flatMap(({ requests }) => requests)));
}

test('what a plan says comes true: each command ends as it said, with the requests that it showed', async () => {
  await fc.assert(
    fc.asyncProperty(nights, blackouts, campaign, fc.nat(9), async (commands, blackout, guards, count) => {
      const bench = createUpdateBench({ ...guards, campaignId, blackouts: blackout === undefined ? [] : [blackout] });
      // A minimum gap can be judged from the beginning.
      bench.startByHand();
      const earlier = commands.slice(0, count);
      const later = commands.slice(earlier.length);
      const between = new Date(Date.parse(later[0]?.issuedAt ?? until.toISOString()) - 60_000);

      await expectComesTrue(earlier, commands, between, bench);
      bench.passMs(Math.max(0, between.getTime() - bench.now().getTime()));
      await expectComesTrue(later, commands, until, bench);

      // The plans brought every message: none was left out, neither of a schedule, nor of what a
      // blackout deferred, nor a planned stop.
      const inFlight = await readRunsInFlight(bench.ledger);
      const due = inFlight.filter(({ entry }) => entry.plansStop && Date.parse(entry.endsAt) <= until.getTime());
      expect(due).toEqual([]);
      for (const { id } of commands) {
        expect(await bench.ledger.read<CommandRow>(ledgerKeys.command(id))).toHaveProperty('outcome');
      }
    }),
    runs,
  );
});
