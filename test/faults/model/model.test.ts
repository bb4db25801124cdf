import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { play, type Scenario } from './play.ts';
import { brokenPromises } from './promises/promises.ts';
import { calmScenarios, scenarios } from './scenarios.ts';
import { uploadsOf } from './sent-work.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

/**
 * The model: histories at random, played by the product's own workers in
 * virtual time. After each, everything is healed and drained, and the promises of docs/reference/reliability.md
 * are looked at from outside.
 * They are I1, I2, I4, I5, I6, I8, I10, I11, I13, I18, I19 and I20.
 * The message of a failure holds the history itself and the line that plays it again.
 */
const runs = propertyRuns(60);

/** Long enough to shrink what was found. */
const timeout = 10 * 60_000;

afterEach(() => vi.unstubAllGlobals());

/**
 * Plays histories until one breaks a promise; the shortest of its kind is reported, with the line
 * that plays it again.
 */
async function assertOfAll(
  histories: fc.Arbitrary<Scenario>,
  cases: number,
  check: (scenario: Scenario) => Promise<void>,
): Promise<void> {
  const found = await fc.check(fc.asyncProperty(histories, check), { ...runs, numRuns: cases });
  if (!found.failed) return;
  const line = `FAST_CHECK_SEED=${found.seed} FAST_CHECK_PATH=${found.counterexamplePath} npx vitest run test/faults/model/model.test.ts`;
  throw new Error(`${fc.defaultReportMessage(found)}\n\nPlay it again: ${line}`, { cause: found.errorInstance });
}

test(
  'whatever is duplicated, reordered, killed, broken and decided: nothing is lost, nothing is made twice, nothing is hidden',
  { timeout },
  async () => {
    await assertOfAll(scenarios, runs.numRuns, async (scenario) => {
      expect(brokenPromises(await play(scenario))).toEqual([]);
    });
  },
);

test(
  'if nothing breaks, every good file is registered, whatever is beside it in its batch or message',
  { timeout },
  async () => {
    await assertOfAll(calmScenarios, Math.ceil(runs.numRuns / 5), async (scenario) => {
      const played = await play(scenario);

      expect(brokenPromises(played)).toEqual([]);
      const good = uploadsOf(played).filter(({ object }) => /datasets\/(?:plain|checked)\/file [01]/.test(object.key));
      const failed = good.filter(({ object, row }) => row?.state !== 'APPLIED' && isStored(played, object));
      expect(failed.map(({ row }) => row)).toEqual([]);
    });
  },
);

test('one seed is one history', async () => {
  const [scenario] = fc.sample(scenarios, { numRuns: 1, seed: 3 });
  if (scenario === undefined) throw new Error('no history');
  const rowsOf = async () => (await play(scenario)).stage.world.ledger.all();

  expect(await rowsOf()).toEqual(await rowsOf());
});

/** Not deleted before a worker could read it. */
function isStored({ stage }: Awaited<ReturnType<typeof play>>, object: { key: string; versionId: string }): boolean {
  return stage.world.objects.has(`${object.key} ${object.versionId}`);
}
