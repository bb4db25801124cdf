import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CommandItem, ledgerKeys } from '../../../../shared/ledger/items.ts';
import type { Ledger } from '../../../../shared/ledger/ledger.ts';
import type { CampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';
import { aCommand, type Answer, createUpdateBench, smokeId } from './update-bench.ts';

const runs = Number(process.env['FAST_CHECK_RUNS'] ?? 150);

/** A night of wishes about one run: each a minute after the one before. */
const wishes = fc
  .array(fc.constantFrom('start' as const, 'stop' as const), { minLength: 1, maxLength: 5 })
  .map((actions) =>
    actions.map((action, index) =>
      aCommand({
        id: `c${index}`,
        action,
        issuedAt: new Date(Date.parse('2026-11-20T21:50:00Z') + index * 60_000).toISOString(),
        ...(action === 'start' ? { validFor: 'P1D' } : {}),
      }),
    ),
  );

const answer: fc.Arbitrary<Answer> = fc.constantFrom<Answer[]>('ok', 'ok', 'not-sent', 'applied-then-lost', 'lost', {
  status: 429,
  text: 'busy',
});

/** Dies (throws) right after the given ledger writes: the next delivery finds what they left. */
function dyingLedger(ledger: Ledger, deaths: Set<number>): Ledger {
  let writes = 0;
  return {
    ...ledger,
    async write(before, after) {
      const stored = await ledger.write(before, after);
      writes += 1;
      if (deaths.has(writes)) throw new Error('the worker died here');
      return stored;
    },
  };
}

async function deliverAll(
  bench: ReturnType<typeof createUpdateBench>,
  ledger: Ledger,
  order: readonly CampaignRunCommand[],
) {
  for (const command of order) {
    await bench.deliver(command, { ledger }).catch(() => {});
    bench.passMs(1000);
  }
}

test('any order, duplication and death leave the newest wish applied, and no start twice', async () => {
  const scenario = fc.record({
    commands: wishes,
    shuffle: fc.array(fc.nat(4), { maxLength: 12 }),
    answers: fc.array(answer, { maxLength: 6 }),
    deaths: fc.uniqueArray(fc.integer({ min: 1, max: 25 }), { maxLength: 4 }),
  });

  await fc.assert(
    fc.asyncProperty(scenario, async ({ commands, shuffle, answers, deaths }) => {
      const bench = createUpdateBench();
      const ledger = dyingLedger(bench.ledger, new Set(deaths));
      bench.answerWith(...answers);
      const shuffled = shuffle
        .map((index) => commands[index % commands.length])
        .filter((command) => command !== undefined);

      await deliverAll(bench, ledger, shuffled);
      for (let round = 0; round < 12; round += 1) {
        bench.passMs(65_000);
        await deliverAll(bench, bench.ledger, commands);
      }

      const ends = await Promise.all(
        commands.map((command) => bench.ledger.read<CommandItem>(ledgerKeys.command(command.id))),
      );
      expect(ends.every((row) => row?.outcome !== undefined)).toBe(true);
      const starts = bench.transitions.filter((transition) => transition.endsWith('running')).length;
      expect(starts).toBeLessThanOrEqual(commands.filter(({ action }) => action === 'start').length);
      // Where the newest wish is a stop, nothing was sent after the stop, and the run is stopped.
      const isStopNewest = commands.at(-1)?.action === 'stop';
      expect(isStopNewest ? bench.patches.at(-1)?.status : 'stopped').toBe('stopped');
      expect(isStopNewest ? bench.statuses.get(smokeId) : 'stopped').toBe('stopped');
    }),
    { numRuns: runs },
  );
});

test('two starts of one campaign delivered at once are one start', async () => {
  const bench = createUpdateBench();

  await Promise.all([bench.deliver(aCommand({ id: 'a' })), bench.deliver(aCommand({ id: 'b', run: 'nightly' }))]);
  for (const id of ['a', 'b']) {
    bench.passMs(5000);
    await bench.deliver(aCommand({ id, ...(id === 'b' ? { run: 'nightly' } : {}) }));
  }

  expect(bench.transitions).toHaveLength(1);
});
