import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

/** What of `npm run bench -- --json` is read. */
const report = z.object({
  rows: z.array(
    z.object({
      figures: z.array(z.object({ name: z.string(), value: z.number(), unit: z.string(), verdict: z.string() })),
    }),
  ),
});

/** A figure of a row, judged. */
export type BenchFigure = z.infer<typeof report>['rows'][number]['figures'][number];

/** The exit codes with which the bench has measured: held, over, not judged. */
const measuredCodes: ReadonlySet<number | null> = new Set([0, 1, 2]);

/**
 * Measures one row of the project in a folder, in a process of its own.
 * @throws Error if it could not measure
 */
export async function runRow(folder: string, row: string): Promise<readonly BenchFigure[]> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      './shared/require-node.mjs',
      join('test', 'bench', 'bench.ts'),
      '--only',
      row,
      '--rounds',
      '7',
      '--json',
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (!measuredCodes.has(code)) throw new Error(`the row ${row} could not be measured: ${complaint.slice(-1000)}`);
  return report.parse(JSON.parse(said.slice(said.indexOf('{')))).rows.flatMap(({ figures }) => figures);
}
