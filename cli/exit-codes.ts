import type { Finding } from '#operator/doctor/finding.ts';
import type { OutcomeReport } from '#operator/outcomes/outcome-report.ts';

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

/** The code of a failure, by the failure's own code. */
export function exitOfFailure({ code }: { readonly code: string }): ExitCode {
  if (code === 'USAGE') return exitCodes.usage;
  return code === 'UNREACHABLE' || code === 'STAGE_NOT_FOUND' ? exitCodes.unreachable : exitCodes.failed;
}

/** The code of an outcome; none recorded yet means that waiting timed out. */
export function exitOfReport({ outcome }: Pick<OutcomeReport, 'outcome'>): ExitCode {
  switch (outcome) {
    case 'applied':
    case 'sent':
      return exitCodes.done;
    case 'parked':
      return exitCodes.parked;
    case 'waiting':
      return exitCodes.timedOut;
    default:
      return exitCodes.passedOver;
  }
}

/** Whether a person is needed. */
export function exitOfFindings(findings: readonly Finding[]): ExitCode {
  return findings.some(({ state }) => state === 'problem') ? exitCodes.parked : exitCodes.done;
}
