import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The rules of `.oxlintrc.json` that judge one function. */
const barRules = ['complexity', 'max-params'] as const;

/** A finding as oxlint prints it. */
interface Finding {
  readonly filename: string;
  readonly message: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/**
 * The linter's settings with nothing but the bars: an override that switches a bar off hides
 * nothing here.
 */
function barsOnly(settings: string): object {
  const { rules, ignorePatterns } = JSON.parse(settings) as {
    readonly rules: Readonly<Record<string, unknown>>;
    readonly ignorePatterns: readonly string[];
  };
  const bars = Object.fromEntries(barRules.map((rule) => [rule, rules[rule]]));
  return { plugins: [], categories: { correctness: 'off' }, ignorePatterns, rules: bars };
}

/** The functions past a bar, as `file:line: what`. */
function breachesIn(output: string): string[] {
  const { diagnostics } = JSON.parse(output) as { readonly diagnostics: readonly Finding[] };
  return diagnostics
    .map(({ filename, message, labels }) => `${filename}:${labels[0]?.span.line ?? 1}: ${message}`)
    .toSorted();
}

/** Asks the linter which functions of the project are past a bar. */
export async function findBreaches(root: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'house-'));
  try {
    const settings = join(folder, 'bars.json');
    await writeFile(settings, JSON.stringify(barsOnly(await readFile(join(root, '.oxlintrc.json'), 'utf8'))));
    const linter = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
    return breachesIn(await outputOf([linter, '-c', settings, '-f', 'json', '.'], root));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the program printed; the linter ends with 1 if it found anything. */
async function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null && error.code !== 1) reject(new Error(`the linter failed: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
