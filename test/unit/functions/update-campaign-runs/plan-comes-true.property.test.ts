import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResolvedBlackout } from '../../../../shared/config/resolved-automation.ts';
import { type CommandItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import type { CampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';
import { commandIds } from '../../../../shared/messages/command-ids.ts';
import type { Previewed } from '../../../../shared/messages/preview.ts';
import { aCommand, campaignId, createUpdateBench, tenOClock } from './update-bench.ts';

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

/** Never at the half hour of a command or of a stop: then their order would be the queue's affair. */
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
    overlap: fc.constantFrom('skip' as const, 'allow' as const),
    startsPerMonth: fc.constantFrom(1, 2, 3),
    minimumGap: fc.constantFrom('PT2H', 'PT12H'),
  },
  { requiredKeys: ['mode', 'overlap'] },
);

type Bench = ReturnType<typeof createUpdateBench>;

/** The message that brings it about: of the schedule, or of the watcher that finds a stop due. */
function messageOf(previewed: Previewed, commands: readonly CampaignRunCommand[]): CampaignRunCommand {
  const command = commands.find(({ id }) => id === previewed.id);
  if (command !== undefined && previewed.origin.kind !== 'watcher') return command;
  const campaignRunId = previewed.requests[0]?.path.split('/').at(-1) ?? '';
  return {
    version: 1,
    id: commandIds.dueStop(campaignRunId, previewed.at),
    action: 'stop',
    campaignRunId,
    issuedAt: previewed.at,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
  };
}

/** What the worker does with it at that instant, told as the preview tells it. */
async function comeTrue(previewed: Previewed, commands: readonly CampaignRunCommand[], bench: Bench): Promise<object> {
  bench.passMs(Date.parse(previewed.at) - bench.now().getTime());
  const sentBefore = bench.patches.length;
  const message = messageOf(previewed, commands);
  await bench.deliver(message);
  const row = await bench.ledger.read<CommandItem>(ledgerKeys.command(message.id));
  return {
    outcome: row?.outcome?.kind ?? (row?.deferred === undefined ? 'none' : 'deferred'),
    reason: row?.outcome?.reason,
    until: row?.outcome === undefined ? row?.deferred?.until : undefined,
    requests: bench.patches.slice(sentBefore).map(({ campaignRunId, name, status, startAt, preserve }) => ({
      path: `/backend/v1/campaign-runs/${campaignRunId}`,
      body: JSON.parse(JSON.stringify({ name, status, startAt, preserve })),
    })),
  };
}

const saidOf = ({ outcome, reason, until: end, requests }: Previewed, mode: string) => ({
  outcome,
  reason,
  until: end,
  // A stage that observes sends none of them.
  requests: mode === 'observe' ? [] : requests.map(({ path, body }) => ({ path, body })),
});

/** Asks for a plan of what comes, and lives through it as far as it goes; answers it. */
async function liveThrough(
  commands: readonly CampaignRunCommand[],
  all: readonly CampaignRunCommand[],
  end: Date,
  bench: Bench,
) {
  const rowsBefore = structuredClone(bench.table.all());
  const sentBefore = bench.patches.length;

  const { commands: plan, mode } = await bench.preview(commands, end);

  expect(bench.patches.length).toBe(sentBefore);
  expect(bench.table.all()).toEqual(rowsBefore);
  for (const previewed of plan) {
    expect(await comeTrue(previewed, all, bench)).toEqual(saidOf(previewed, mode));
  }
}

test('what a plan says comes true: each command ends as it said, with the requests that it showed', async () => {
  await fc.assert(
    fc.asyncProperty(nights, blackouts, campaign, fc.nat(9), async (commands, blackout, guards, count) => {
      const bench = createUpdateBench({ ...guards, campaignId, blackouts: blackout === undefined ? [] : [blackout] });
      const earlier = commands.slice(0, count);
      const later = commands.slice(earlier.length);
      const between = new Date(Date.parse(later[0]?.issuedAt ?? until.toISOString()) - 60_000);

      await liveThrough(earlier, commands, between, bench);
      bench.passMs(Math.max(0, between.getTime() - bench.now().getTime()));
      await liveThrough(later, commands, until, bench);

      // The plans brought every message: none was left out, neither of a schedule nor of what a blackout had put off.
      for (const { id } of commands) {
        expect(await bench.ledger.read<CommandItem>(ledgerKeys.command(id))).toHaveProperty('outcome');
      }
    }),
    { numRuns: 150 },
  );
});
