import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommandItem, ledgerKeys } from '../../../shared/ledger/items.ts';
import { type CampaignRunCommand, compareGenerations } from '../../../shared/messages/campaign-run-command.ts';
import { aCommand, createUpdateBench, smokeId } from '../../unit/functions/update-campaign-runs/update-bench.ts';

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

describe('[E9] the order of wishes', () => {
  test('is total: any two are told apart unless they are the same, whichever is asked about', () => {
    fc.assert(
      fc.property(generation, generation, (a, b) => {
        const isSame = Date.parse(a.issuedAt) === Date.parse(b.issuedAt) && a.id === b.id;

        expect(Math.sign(compareGenerations(a, b))).toBe(-Math.sign(compareGenerations(b, a)) + 0);
        expect(compareGenerations(a, b) === 0).toBe(isSame);
      }),
      { numRuns: 10_000 },
    );
  });

  test('has no circles, and goes by the instant before the id', () => {
    fc.assert(
      fc.property(generation, generation, generation, (a, b, c) => {
        const [first, , last] = [a, b, c].toSorted(compareGenerations);
        if (first === undefined || last === undefined) throw new Error('three were sorted');

        expect(compareGenerations(first, last)).toBeLessThanOrEqual(0);
        expect(Date.parse(first.issuedAt)).toBeLessThanOrEqual(Date.parse(last.issuedAt));
      }),
      { numRuns: 10_000 },
    );
  });
});

/** Wishes about one run, several of them at the same instant, and an order in which they come, with duplicates. */
const wishes = fc
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

async function deliverInOrder(commands: readonly CampaignRunCommand[], order: readonly number[]) {
  // Starts that overlap are allowed: then nothing but the order of the wishes decides.
  const bench = createUpdateBench({ overlap: 'allow' });
  for (const index of [...order, ...commands.keys()]) {
    const command = commands[index];
    if (command !== undefined) await bench.deliver(command);
    bench.passMs(1000);
  }
  for (let round = 0; round < 3; round += 1) {
    bench.passMs(65_000);
    for (const command of commands) await bench.deliver(command);
  }
  return bench;
}

test('[C3 E4 E9] any order of arrival, with duplicates, ends in the state that the newest wish asks for', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async ({ commands, order }) => {
      const bench = await deliverInOrder(commands, order);

      const newest = commands.toSorted(compareGenerations).at(-1);
      expect(bench.statuses.get(smokeId)).toBe(newest?.action === 'start' ? 'running' : 'stopped');
      const rows = await Promise.all(commands.map(({ id }) => bench.ledger.read<CommandItem>(ledgerKeys.command(id))));
      for (const row of rows) expect(row?.outcome?.kind).toMatch(/^(?:applied|superseded)$/);
    }),
    { numRuns: 1000 },
  );
});
