import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { CommandArguments } from './arguments.ts';
import type { CommandDeps } from './deps.ts';
import { durationArgument } from './duration-argument.ts';

/** How long a command waits for its outcome; undefined: not at all (`--no-wait`). A person who presses Ctrl-C has no more patience. */
export type Patience = { readonly timeoutMs: number } | undefined;

/** Options of every command that waits. */
export const waitingOptions = { timeout: { type: 'string' }, 'no-wait': { type: 'boolean' } } as const;

const defaultTimeout = '60s';

/** Reads `--timeout` and `--no-wait`. */
export function patienceOf(args: CommandArguments): Patience {
  const { milliseconds } = durationArgument('--timeout', args.text('timeout') ?? defaultTimeout);
  return args.flag('no-wait') ? undefined : { timeoutMs: milliseconds };
}

/** A row that will carry an outcome. */
export interface Awaited {
  readonly outcome?: RecordedOutcome;
}

const firstPauseMs = 100;
const longestPauseMs = 1500;
const quietMs = 4000;

/**
 * Reads a row until it has an outcome or the patience ends; answers the row as last read.
 * @param waiting.describe - what a person who has waited a while is told, once
 */
export async function waitForOutcome<Row extends Awaited>(
  read: () => Promise<Row | undefined>,
  waiting: {
    readonly patience: Patience;
    readonly deps: CommandDeps;
    readonly describe: (row: Row | undefined) => string;
  },
): Promise<Row | undefined> {
  const { patience, deps, describe } = waiting;
  if (patience === undefined) return undefined;
  const interruption = deps.interruption();
  const startedMs = deps.elapsedMs();
  let pauseMs = firstPauseMs;
  let hasTold = false;
  for (;;) {
    const row = await read();
    const waitedMs = deps.elapsedMs() - startedMs;
    if (row?.outcome !== undefined || waitedMs >= patience.timeoutMs || interruption.aborted) return row;
    if (!hasTold && waitedMs >= quietMs) {
      hasTold = true;
      deps.progress(describe(row));
    }
    await deps.wait(Math.min(pauseMs, patience.timeoutMs - waitedMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
  }
}
