/** Paths of the test files that most mutants of runs name. */

const filesIn =
  (folder: string) =>
  (...names: readonly string[]): readonly string[] =>
    names.map((name) => `${folder}/${name}.test.ts`);

/** The worker with a ledger in memory. */
export const runs = filesIn('test/unit/functions/update-campaign-runs');
/** Decisions alone. */
export const decisions = filesIn('test/unit/functions/_runs/decide');
/** The watcher's ticks. */
export const watcher = filesIn('test/unit/functions/watch-campaigns');
/** Rows of the ledger and their changes. */
export const ledger = filesIn('test/unit/shared/ledger');
/** Nights in virtual time. */
export const faults = filesIn('test/faults/runs');
