import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** What of Vitest's JSON report is read. */
const report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** What the tests said. */
export interface TestRun {
  readonly passed: number;
  /** Titles of the tests that failed. */
  readonly failed: readonly string[];
  /** Files that did not load, or whose preparation failed, so that no test ran: says nothing about a promise. */
  readonly broken: readonly string[];
}

/** How test files are run. */
export interface RunLimits {
  /** Files that run at once. */
  readonly workers: number;
  /** A run that takes longer hangs: it is ended, and counts as red by its hanging. */
  readonly longestMs: number;
}

/** For the tests of one mutant; the slowest of them takes half of it on two cores. */
const ofOneMutant: RunLimits = { workers: 1, longestMs: 180_000 };

/** A test that hangs for want of its protection is red sooner than one that a busy machine holds up. */
const longestTestMs = 60_000;

/** Runs test files in a folder, until the first that fails. */
export async function runTests(
  folder: string,
  files: readonly string[],
  { workers, longestMs }: RunLimits = ofOneMutant,
): Promise<TestRun> {
  const outputFile = join(folder, 'mutant-report.json');
  await rm(outputFile, { force: true });
  const child = spawn(
    process.execPath,
    [
      join(folder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...files,
      '--bail=1',
      `--testTimeout=${longestTestMs}`,
      `--maxWorkers=${workers}`,
      '--reporter=json',
      `--outputFile=${outputFile}`,
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  const [, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (signal !== null) return { passed: 0, failed: [`(did not end within ${longestMs / 1000} s)`], broken: [] };

  const { numPassedTests, testResults } = report.parse(JSON.parse(await readFile(outputFile, 'utf8')));
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  const broken = testResults
    .filter((file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
    .map(({ name, message }) => `${name}: ${message ?? ''}`);
  return { passed: numPassedTests, failed, broken };
}
