/** I5: which of two commands is the later one, and what is left of a night of them. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CampaignRunCommand, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { aCommand, createUpdateBench } from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

/** Instants as people and programs write them: some are the same instant in other words. */
const instant = fc.constantFrom(
  '2026-11-20T21:50:00Z',
  '2026-11-20T21:50:00.000Z',
  '2026-11-20T22:50:00+01:00',
  '2026-11-20T21:50:00.001Z',
  '2026-11-20T21:55:00Z',
  '2026-11-20T16:55:00-05:00',
);
const generation = fc.record({
  issuedAt: instant,
  id: fc.oneof(fc.constantFrom('a', 'b', 'B', 'ab', 'é', 'e\u0301'), fc.string({ minLength: 1, unit: 'grapheme' })),
});

describe('[E9] the order of commands', () => {
  test('is total: any two are told apart unless they are the same, whichever is asked about', () => {
    fc.assert(
      fc.property(generation, generation, (a, b) => {
        const isSame = Date.parse(a.issuedAt) === Date.parse(b.issuedAt) && a.id === b.id;

        expect(Math.sign(compareCommands(a, b))).toBe(-Math.sign(compareCommands(b, a)) + 0);
        expect(compareCommands(a, b) === 0).toBe(isSame);
      }),
      propertyRuns(500),
    );
  });

  test('has no circles, and goes by the instant before the id', () => {
    fc.assert(
      fc.property(generation, generation, generation, (a, b, c) => {
        const [first, , last] = [a, b, c].toSorted(compareCommands);
        if (first === undefined || last === undefined) throw new Error('three were sorted');

        expect(compareCommands(first, last)).toBeLessThanOrEqual(0);
        expect(Date.parse(first.issuedAt)).toBeLessThanOrEqual(Date.parse(last.issuedAt));
      }),
      propertyRuns(500),
    );
  });
});

/**
 * Commands about one run, several of them at the same instant, and an order in which they come,
 * with duplicates.
 */
const deliveries = fc
  .uniqueArray(
    fc.record({ action: fc.constantFrom('start' as const, 'stop' as const), issuedAt: instant, id: fc.uuid() }),
    { minLength: 1, maxLength: 5, selector: ({ id }) => id },
  )
  .chain((fields) =>
    fc.record({
      commands: fc.constant(fields.map((field) => aCommand({ ...field, validFor: 'P1D' }))),
      order: fc.array(fc.nat(fields.length - 1), { maxLength: 10 }),
    }),
  );

/** A person lets each start go out beside another run: then nothing but the order of the commands decides. */
function overriding(command: CampaignRunCommand): CampaignRunCommand {
  if (command.action === 'stop') return command;
  const origin = { kind: 'operator', name: 'ann' } as const;
  return { ...command, origin, override: { guards: ['overlap'], reason: 'CHG-7' } };
}

/** Ids enough for each start. */
const campaignRunIds = Array.from({ length: 6 }, (_, position) => `018f0000-0000-7000-8000-00000000010${position}`);
const smoke = {
  name: 'smoke',
  campaign: 'chat-bot',
  campaignRunIds,
  guards: { target: 'chat-bot', overlap: 'skip', longestRun: 'PT12H' },
} as const;

async function deliverInOrder(commands: readonly CampaignRunCommand[], order: readonly number[]) {
  const bench = createUpdateBench({ runs: { smoke } });
  for (const index of [...order, ...commands.keys()]) {
    const command = commands[index];
    if (command !== undefined) await bench.deliver(command);
    bench.passMs(1000);
  }
  for (let round = 0; round < 3; round += 1) {
    bench.passMs(65_000);
    for (const command of commands) await bench.deliver(command);
  }
  bench.passMs(65_000);
  return bench;
}

async function outcomesOf(bench: Awaited<ReturnType<typeof deliverInOrder>>, commands: readonly CampaignRunCommand[]) {
  const rows = await Promise.all(commands.map(({ id }) => bench.ledger.read<CommandRow>(ledgerKeys.command(id))));
  return rows.map((row) => [row?.outcome?.kind ?? 'no outcome', row?.outcome?.reason].filter(Boolean).join(' '));
}

/** The starts whose runs are running. */
function goingOn({ model }: Awaited<ReturnType<typeof deliverInOrder>>): readonly string[] {
  const running = model.running();
  const begun = model.effects.filter(({ kind, campaignRunId }) => kind === 'begins' && running.includes(campaignRunId));
  return begun.map(({ by = '' }) => by).toSorted();
}

describe('commands about one run that come in any order, with duplicates', () => {
  test('[C3 E4 E9] leave the runs of the starts after the latest stop, if each start may pass', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ commands, order }) => {
        const sent = commands.map(overriding);
        const bench = await deliverInOrder(sent, order);

        const stop = sent
          .filter(({ action }) => action === 'stop')
          .toSorted(compareCommands)
          .at(-1);
        const starts = sent.filter(({ action }) => action === 'start');
        const after = starts.filter((start) => stop === undefined || compareCommands(stop, start) < 0);
        expect(goingOn(bench)).toEqual(after.map(({ id }) => id).toSorted());
        for (const outcome of await outcomesOf(bench, sent)) {
          expect(outcome).toMatch(/^(?:applied|superseded|skipped NOTHING_TO_STOP)$/);
        }
      }),
      propertyRuns(60),
    );
  });
});
