import { parseArgs } from 'node:util';
import type { BenchRow } from './bench-row.ts';

/** What a run of the bench was asked for. */
export interface BenchOptions {
  readonly rows: readonly BenchRow[];
  readonly isQuick: boolean;
  /** Whether docs/reference/performance.md is written. */
  readonly isWrite: boolean;
  readonly rounds: number;
  readonly seed: string;
}

/** A sentence for the person who typed the command, and nothing else. */
export class BenchUsageError extends Error {
  override readonly name = 'BenchUsageError';
}

/** Fewer rounds have no middle half to speak of. */
const fewestRounds = 7;
const usualRounds = 9;

/** Help of `npm run bench -- --help`. */
export function benchHelp(rows: readonly BenchRow[]): string {
  return `Measures the workers against their peers, in this run and on this machine: npm run bench -- [options]

  --only ROW     this row alone; may be given more than once
  --quick        below two minutes: only what comes out the same on every machine (bytes, counts, virtual time)
  --write        writes what was measured into docs/reference/performance.md; needs every row
  --rounds N     rounds of the rows that noise can move (default ${usualRounds}, at least ${fewestRounds})
  --seed S       decides who works first in each round (default: drawn, and printed)
  --help         this text

Rows: ${rows.map(({ id }) => id).join(', ')}

Everything answers on 127.0.0.1. Of the wall times only those with a bar decide. In each round the peer works twice: what the two differ by is what the
machine makes of nothing, and a figure that this could carry across its bar is not judged.

Exit codes: 0 every bar is held; 1 a figure is over its bar; 2 the machine was too noisy to judge; 3 the command line is wrong; 4 a row could not be
measured, the others were, and nothing is written.
`;
}

/**
 * Reads the command line.
 * @param drawSeed - asked if no seed is given
 * @throws BenchUsageError in one sentence
 */
export function readBenchOptions(
  args: readonly string[],
  rows: readonly BenchRow[],
  drawSeed: () => string,
): BenchOptions | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const isQuick = values.quick ?? false;
  const isWrite = values.write ?? false;
  if (isWrite && (isQuick || values.only !== undefined)) {
    throw new BenchUsageError('--write needs every row: without --only and --quick');
  }
  return {
    rows: selected(rows, values.only, isQuick),
    isQuick,
    isWrite,
    rounds: roundsOf(values.rounds),
    seed: values.seed ?? drawSeed(),
  };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const options = { quick: flag, write: flag, rounds: text, seed: text } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, only: { ...text, multiple: true }, help: { ...flag, short: 'h' } },
    }).values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new BenchUsageError(`${sentence}; npm run bench -- --help lists the options`, { cause: error });
  }
}

/** A row that is asked for by name runs, also if a quick run would leave it out. */
function selected(
  rows: readonly BenchRow[],
  only: readonly string[] | undefined,
  isQuick: boolean,
): readonly BenchRow[] {
  if (only === undefined) return isQuick ? rows.filter(({ isNoiseFree }) => isNoiseFree) : rows;
  const unknown = only.find((id) => !rows.some((row) => row.id === id));
  if (unknown !== undefined) {
    throw new BenchUsageError(`--only ${unknown} is none of ${rows.map(({ id }) => id).join(', ')}`);
  }
  return rows.filter(({ id }) => only.includes(id));
}

function roundsOf(text: string | undefined): number {
  if (text === undefined) return usualRounds;
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= fewestRounds) return rounds;
  throw new BenchUsageError(`--rounds ${text} is not a whole number from ${fewestRounds} on`);
}
