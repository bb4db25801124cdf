/**
 * `npm run bench`: every row against its peer, a verdict on each figure. `-- --help` says the rest.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { toError } from '#shared/errors/app-error.ts';
import { benchHelp, type BenchOptions, BenchUsageError, readBenchOptions } from './bench-options.ts';
import type { BenchRow } from './bench-row.ts';
import { benchRows } from './rows.ts';
import { type MeasuredRow, measuredRow } from './measured-row.ts';
import { machineOf } from './report/machine.ts';
import { rowText, summaryText } from './report/table-text.ts';
import { writeDocument } from './report/document.ts';
import { exitCodeOf } from './verdict.ts';
import { seededRandom } from '../chaos/events/seeded-random.ts';

const usageCode = 3;
const failedCode = 4;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readBenchOptions(process.argv.slice(2), benchRows, () => randomBytes(4).toString('hex'));
  if (options === 'help') {
    say(benchHelp(benchRows));
    return 0;
  }
  useOwnTemporaryFolder();
  say(`seed ${options.seed}; ${machineOf().sentence}`);
  const measured: MeasuredRow[] = [];
  const failed: { readonly id: string; readonly error: string }[] = [];
  for (const row of options.rows) {
    try {
      const one = await measureRow(row, options);
      say(rowText(one));
      measured.push(one);
    } catch (error) {
      // The others are measured all the same.
      process.stderr.write(`${inspect(error)}\n`);
      failed.push({ id: row.id, error: toError(error).message });
    }
  }
  const machine = machineOf();
  say(summaryText(measured, failed));
  if (failed.length > 0) return failedCode;
  if (options.isWrite) say(`written: ${writeDocument(measured, machine, options)}`);
  return exitCodeOf(measured.flatMap(({ figures }) => figures.map(({ verdict }) => verdict)));
}

/**
 * Puts all that this process and its children write aside into one folder, which is gone with the
 * process, ended by a signal or not.
 */
function useOwnTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

async function measureRow(row: BenchRow, { isQuick, rounds, seed }: BenchOptions): Promise<MeasuredRow> {
  const startedAt = performance.now();
  const random = seededRandom(seed, row.id).next;
  const result = await row.measure({ isQuick, rounds, random });
  return measuredRow(row, result, (performance.now() - startedAt) / 1000);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BenchUsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = usageCode;
}
