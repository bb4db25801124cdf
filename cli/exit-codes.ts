import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';

/** What a script learns from how the command ends; `--help` lists the same. */
export const exitCodes = {
  /** Done, applied, or there already. */
  done: 0,
  /** An error that none of the others names. */
  failed: 1,
  /** The command line is wrong; nothing was done. */
  usage: 2,
  /** Nothing answers, or the stage, its credentials or a grant are missing. */
  unreachable: 3,
  /** It needs a person. */
  parked: 4,
  /** Passed over on purpose: skipped by a guard, superseded, ignored. */
  passedOver: 5,
  /** It is under way and did not end within --timeout; it is not lost. */
  timedOut: 6,
} as const;

/** One of the codes above. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The code of an outcome; none recorded yet means that waiting timed out. */
export function exitCodeOf(outcome: Pick<RecordedOutcome, 'kind'> | undefined): ExitCode {
  if (outcome === undefined) return exitCodes.timedOut;
  if (outcome.kind === 'applied') return exitCodes.done;
  if (outcome.kind === 'parked') return exitCodes.parked;
  return exitCodes.passedOver;
}

const gravity: readonly ExitCode[] = [
  exitCodes.failed,
  exitCodes.unreachable,
  exitCodes.usage,
  exitCodes.parked,
  exitCodes.timedOut,
  exitCodes.passedOver,
];

/** The gravest of several. */
export function gravestExit(codes: readonly ExitCode[]): ExitCode {
  return gravity.find((code) => codes.includes(code)) ?? exitCodes.done;
}
