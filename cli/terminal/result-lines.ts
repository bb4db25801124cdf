import { isParkReason, parkReasons, type ReasonCode, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import type { OutcomeReport } from '#operator/outcomes/outcome-report.ts';
import { pendingSentence } from '#operator/outcomes/pending-work.ts';
import { columns, outcomeWord } from './output.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import type { Finding } from '#operator/doctor/finding.ts';

/** The lines of an outcome, the subject first: one line, and for a parked one what to do beneath it. */
export function outcomeLines(
  subject: string,
  report: OutcomeReport & { readonly campaignRunId?: string },
  paint: Paint,
): readonly string[] {
  if (report.outcome === 'sent') return [`${subject}: ${paint('cyan', 'sent')}, not waited for`];
  if (report.outcome === 'waiting') {
    const why = report.pending === undefined ? '' : ` (${pendingSentence(report.pending)})`;
    return [
      `${subject}: ${paint('yellow', 'no outcome yet')}${why}; it is not lost: autopilot status shows how it ends`,
    ];
  }
  const word = outcomeWord(paint, report.outcome);
  const named = [report.isObserved === true ? 'observed:' : '', word, report.reason ?? ''].filter(Boolean).join(' ');
  const why = report.detail ?? meaningOf(report.reason) ?? runOf(report);
  const head = `${subject}: ${named}${why === undefined ? '' : `: ${why}`}`;
  if (report.outcome !== 'parked') return [head];
  return [
    head,
    ...(report.nextStep === undefined ? [] : [`  next: ${report.nextStep}`]),
    paint('dim', `  more: autopilot parked show ${report.parkedId}`),
  ];
}

function runOf({ campaignRunId }: { readonly campaignRunId?: string }): string | undefined {
  return campaignRunId === undefined ? undefined : `run ${campaignRunId}`;
}

function meaningOf(reason: ReasonCode | undefined): string | undefined {
  if (reason === undefined) return undefined;
  return isParkReason(reason) ? parkReasons[reason].meaning : skipReasons[reason];
}

const marks: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok',
  unknown: '-',
  warning: 'warning',
  problem: 'PROBLEM',
};

const styles: Readonly<Partial<Record<Finding['state'], Style>>> = {
  unknown: 'dim',
  warning: 'yellow',
  problem: 'red',
};

/** One line for each: its mark, the subject, what is, and the next step. */
export function findingLines(findings: readonly Finding[], paint: Paint): readonly string[] {
  const rows = findings.map(({ subject, state, says, next }) => [
    marks[state],
    subject,
    next === undefined ? says : `${says}; next: ${next}`,
  ]);
  return columns(rows).map((line, index) => {
    const style = styles[findings[index]?.state ?? 'ok'];
    return style === undefined ? line : paint(style, line);
  });
}
