import { outcomeLines } from '../terminal/result-lines.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { doneWords, type ResolveReport } from '#operator/parked/resolve-rows.ts';

/** What became of all rows of one `parked resolve`. */
export interface ResolveSummary {
  readonly resolved: readonly ResolveReport[];
  /** Rows for which the decision could not be taken. */
  readonly left: readonly { readonly id: string; readonly subject: string; readonly problem: string }[];
  /** Rows that an interruption kept from being decided about. */
  readonly untouched: number;
}

/** More rows than these are one line in the end; what went wrong is always told. */
const maxLines = 20;

/** A line or a few for each row, and for several rows the sum of it. */
export function reportLines({ resolved, left, untouched }: ResolveSummary, paint: Paint): readonly string[] {
  const told = resolved.length > maxLines ? resolved.filter(({ problem }) => problem !== undefined) : resolved;
  const lines = [
    ...told.flatMap((report) => rowLines(report, paint)),
    ...[...Map.groupBy(left, ({ problem }) => problem)].flatMap(([problem, rows]) => leftLines(problem, rows, paint)),
  ];
  if (untouched === 0 && resolved.length + left.length === 1) return lines;
  if (resolved.length + left.length + untouched === 0) return ['nothing of that kind is parked'];
  return [...lines, sumOf({ resolved, left, untouched })];
}

/** Many rows that are left for one reason need it told once. */
function leftLines(problem: string, rows: ResolveSummary['left'], paint: Paint): readonly string[] {
  const [first] = rows;
  if (first !== undefined && rows.length === 1) {
    return [`${first.id} ${first.subject}: ${paint('red', 'not resolved')}: ${problem}`];
  }
  return [
    `${rows.length} ${paint('red', 'not resolved')}: ${problem}`,
    ...rows.slice(0, maxLines).map(({ id, subject }) => `  ${id} ${subject}`),
    ...(rows.length > maxLines ? [`  and ${rows.length - maxLines} more`] : []),
  ];
}

function sumOf({ resolved, left, untouched }: ResolveSummary): string {
  const failed = resolved.filter(({ problem }) => problem !== undefined).length;
  const [first] = resolved;
  const parts = [
    `${resolved.length - failed} ${first === undefined ? 'resolved' : doneWords[first.decision]}`,
    ...(failed + left.length === 0 ? [] : [`${failed + left.length} not resolved`]),
    ...(untouched === 0 ? [] : [`interrupted: ${untouched} not touched`]),
  ];
  const awaits = resolved.some(({ decision, isSent, next }) => decision === 'repeat' && isSent && next === undefined);
  return `${parts.join(', ')}${awaits ? '; how they end: autopilot status, and what is parked again: autopilot parked list' : ''}`;
}

function rowLines(report: ResolveReport, paint: Paint): readonly string[] {
  const about = `${report.id} ${report.subject}`;
  if (report.problem !== undefined) return [`${about}: ${paint('red', 'not resolved')}: ${report.problem}`];
  if (report.decision === 'dismiss') return [`${about}: ${paint('green', 'dismissed')}`];
  if (report.decision === 'applied') {
    const followUps = report.isSent ? ', its follow-ups are on their way' : '';
    return [`${about}: ${paint('green', 'recorded as applied')}${followUps}`];
  }
  if (report.next === undefined)
    return [`${about}: ${paint('cyan', 'sent again')}${report.kind === 'message' ? '; it is a new message now' : ''}`];
  if (report.next.datasetId !== undefined) {
    return [
      `${about}: sent again, ${paint('green', 'registered')} with dataset id ${paint('bold', report.next.datasetId)}`,
    ];
  }
  return outcomeLines(`${about}: sent again`, report.next, paint);
}
