import type { Protection } from './protection.ts';
import { runTests } from './run-tests.ts';
import { makeScratchCopy, type ScratchCopy } from './scratch-copy.ts';

/** What became of the tests without one protection. */
export type Finding =
  | { readonly kind: 'red'; readonly protection: Protection; readonly test: string }
  /** Every test passed: nobody would notice. */
  | { readonly kind: 'unnoticed'; readonly protection: Protection }
  /** The code did not load, or the protection is not where it is said to be: nothing was proved. */
  | { readonly kind: 'unproved'; readonly protection: Protection; readonly why: string };

/**
 * Takes one protection out at a time and runs its tests, a few protections side by side, each in a copy of its own.
 * @throws Error where the tests are not green with every protection in place
 */
export async function runCampaign(
  projectRoot: string,
  protections: readonly Protection[],
  options: { readonly jobs: number; readonly onFinding: (finding: Finding) => void },
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const queue = [...protections];
  const copies = await Promise.all(Array.from({ length: options.jobs }, () => makeScratchCopy(projectRoot)));
  try {
    await assertGreen(copies[0], protections);
    await Promise.all(
      copies.map(async (copy) => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const finding = await tryWithout(copy, next);
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

async function assertGreen(copy: ScratchCopy | undefined, protections: readonly Protection[]): Promise<void> {
  if (copy === undefined) return;
  const files = [...new Set(protections.flatMap(({ tests }) => tests))];
  const { failed, broken, passed } = await runTests(copy.path, files);
  const problems = [...failed, ...broken];
  if (problems.length > 0) throw new Error(`with every protection in place these are red: ${problems.join('; ')}`);
  if (passed === 0) throw new Error(`no test was found in ${files.join(', ')}`);
}

async function tryWithout(copy: ScratchCopy, protection: Protection): Promise<Finding> {
  try {
    const { failed, broken } = await copy.without(protection, () => runTests(copy.path, protection.tests));
    const [test] = failed;
    if (test !== undefined) return { kind: 'red', protection, test };
    if (broken.length > 0) return { kind: 'unproved', protection, why: broken.join('; ') };
    return { kind: 'unnoticed', protection };
  } catch (error) {
    return { kind: 'unproved', protection, why: error instanceof Error ? error.message : String(error) };
  }
}
