import type { Mutant } from './mutant.ts';
import { runTests } from './run-tests.ts';
import { makeScratchCopy, type ScratchCopy } from './scratch-copy.ts';

/** What became of one mutant. */
export type Finding =
  | { readonly kind: 'killed'; readonly mutant: Mutant; readonly test: string }
  /** Every test passed: no test holds the protection. */
  | { readonly kind: 'survived'; readonly mutant: Mutant }
  /** The code did not load, or the text is not in its file exactly once: nothing was proven. */
  | { readonly kind: 'unproven'; readonly mutant: Mutant; readonly why: string };

/**
 * Runs the tests of each mutant, a few mutants side by side, each in a copy of the project of its
 * own.
 * @throws Error if the tests fail without any mutant
 */
export async function tryMutants(
  packageFolder: string,
  mutants: readonly Mutant[],
  options: {
    readonly jobs: number;
    /** The tests have just passed without any mutant: they are not run so again. */
    readonly testsPassed: boolean;
    /** No mutant begins later than this. */
    readonly longestMs: number;
    readonly onFinding: (finding: Finding) => void;
  },
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const queue = [...mutants];
  const copies = await Promise.all(Array.from({ length: options.jobs }, () => makeScratchCopy(packageFolder)));
  try {
    if (!options.testsPassed) await assertGreen(copies[0], mutants, options.jobs);
    const end = performance.now() + options.longestMs;
    const takeNext = () => (performance.now() < end ? queue.shift() : undefined);
    await Promise.all(
      copies.map(async (copy) => {
        for (let next = takeNext(); next !== undefined; next = takeNext()) {
          const finding = await tryMutant(copy, next);
          findings.push(finding);
          options.onFinding(finding);
        }
      }),
    );
  } finally {
    await Promise.all(copies.map((copy) => copy.remove()));
  }
  return findings;
}

/** All tests of all mutants take minutes, several of them with a stage of their own. */
const longestOfAllMs = 1_200_000;

async function assertGreen(copy: ScratchCopy | undefined, mutants: readonly Mutant[], workers: number): Promise<void> {
  if (copy === undefined) return;
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const { failed, broken, passed } = await runTests(copy.path, files, { workers, longestMs: longestOfAllMs });
  const problems = [...failed, ...broken];
  if (problems.length > 0) throw new Error(`without any mutant these tests fail: ${problems.join('; ')}`);
  if (passed === 0) throw new Error(`no test was found in ${files.join(', ')}`);
}

async function tryMutant(copy: ScratchCopy, mutant: Mutant): Promise<Finding> {
  try {
    const { failed, broken } = await copy.withMutant(mutant, () => runTests(copy.path, mutant.tests));
    const [test] = failed;
    if (test !== undefined) return { kind: 'killed', mutant, test };
    if (broken.length > 0) return { kind: 'unproven', mutant, why: broken.join('; ') };
    return { kind: 'survived', mutant };
  } catch (error) {
    return { kind: 'unproven', mutant, why: error instanceof Error ? error.message : String(error) };
  }
}
