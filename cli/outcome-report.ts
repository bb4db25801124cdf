import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import { isParkReason, parkReasons, type ReasonCode, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import { outcomeWord, type Paint, printable } from './output.ts';
import { handleOf } from './parked-handles.ts';

/** The outcome of one piece of work as `--json` tells it; `waiting` where none is recorded yet. */
export interface OutcomeReport {
  readonly outcome: RecordedOutcome['kind'] | 'waiting' | 'sent';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** Nothing was sent to the gateway: the stage only observes. */
  readonly isObserved?: true;
  /** What a person does about a parked one. */
  readonly nextStep?: string;
  /** What `autopilot parked show` takes. */
  readonly parkedId?: string;
  /** Of a command without an outcome: why its last request failed, in the gateway's words if it gave any. */
  readonly lastError?: string;
  readonly nextTryAt?: string;
}

/** Tells the outcome of a row. */
export function reportOf(row: { readonly pk: string; readonly outcome?: RecordedOutcome } | undefined): OutcomeReport {
  const outcome = row?.outcome;
  if (row === undefined || outcome === undefined) return { outcome: 'waiting' };
  const { kind, reason, detail } = outcome;
  return {
    outcome: kind,
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
    ...(isObserved(row) ? { isObserved: true } : {}),
    ...(kind === 'parked' ? { parkedId: handleOf(row.pk) } : {}),
    ...(kind === 'parked' && reason !== undefined && isParkReason(reason)
      ? { nextStep: parkReasons[reason].nextStep }
      : {}),
  };
}

/** The lines of an outcome, the subject first: one line, and for a parked one what to do beneath it. */
export function outcomeLines(
  subject: string,
  report: OutcomeReport & { readonly campaignRunId?: string },
  paint: Paint,
): readonly string[] {
  if (report.outcome === 'sent') return [`${printable(subject)}: ${paint('cyan', 'sent')}, not waited for`];
  if (report.outcome === 'waiting') {
    const why = report.lastError === undefined ? '' : ` (${printable(lastErrorOf(report))})`;
    return [
      `${printable(subject)}: ${paint('yellow', 'no outcome yet')}${why}; it is not lost: autopilot status shows how it ends`,
    ];
  }
  const word = outcomeWord(paint, report.outcome);
  const named = [report.isObserved === true ? 'observed:' : '', word, report.reason ?? ''].filter(Boolean).join(' ');
  const why = report.detail ?? meaningOf(report.reason) ?? runOf(report);
  const head = `${printable(subject)}: ${named}${why === undefined ? '' : `: ${printable(why)}`}`;
  if (report.outcome !== 'parked') return [head];
  return [
    head,
    ...(report.nextStep === undefined ? [] : [`  next: ${report.nextStep}`]),
    paint('dim', `  more: autopilot parked show ${report.parkedId}`),
  ];
}

function lastErrorOf({ lastError, nextTryAt }: OutcomeReport): string {
  return `last error: ${lastError}${nextTryAt === undefined ? '' : `; next try ${nextTryAt}`}`;
}

function runOf({ campaignRunId }: { readonly campaignRunId?: string }): string | undefined {
  return campaignRunId === undefined ? undefined : `run ${campaignRunId}`;
}

function meaningOf(reason: ReasonCode | undefined): string | undefined {
  if (reason === undefined) return undefined;
  return isParkReason(reason) ? parkReasons[reason].meaning : skipReasons[reason];
}

/** The exit code of a report. */
export function exitOfReport(report: Pick<OutcomeReport, 'outcome'>): ExitCode {
  if (report.outcome === 'sent') return exitCodes.done;
  if (report.outcome === 'waiting') return exitCodes.timedOut;
  return exitCodeOf({ kind: report.outcome });
}
