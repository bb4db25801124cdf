import { UsageError } from '#operator/errors.ts';
import { type ParkedFilter, selects } from '#operator/parked/parked-rows.ts';
import type { WantedRows } from '#operator/parked/resolve-plan.ts';
import { doneWords, type ResolveReport, type RowVerdict } from '#operator/parked/resolve-rows.ts';
import { withInstants } from '#operator/readable.ts';
import type { ZonedClock } from '#operator/times/typed-times.ts';
import { type CommandArguments, requiredReason } from '../terminal/arguments.ts';
import { oneLine, outcomeLines } from '../terminal/output.ts';
import type { TextScreen } from '../terminal/times.ts';
import { parkedFilter } from './list.ts';

/** What `parked resolve` was asked for. */
export interface ResolveRequest {
  readonly verdict: RowVerdict;
  /** Why, for the record. */
  readonly because?: string;
  /** By name, or all that a filter selects. */
  readonly rows: WantedRows;
  readonly isDryRun: boolean;
  /** How many rows the dry run counted; with a filter alone. */
  readonly confirmed?: number;
  /** Repeat also what may have been done at the gateway. */
  readonly acceptsSecondEffect: boolean;
}

/** Reads the command line of `parked resolve`; touches no stage. */
export function resolveRequest(ids: readonly string[], args: CommandArguments, clock: ZonedClock): ResolveRequest {
  const isBulk = ids.length === 0;
  const rows = isBulk ? { filter: wantedFilter(args, clock) } : { ids: checkedIds(ids, args) };
  const verdict = verdictOf(args);
  const isSuperseded = args.flag('superseded');
  if (isSuperseded && (!isBulk || verdict.kind !== 'dismiss')) {
    throw new UsageError('--superseded is about --dismiss, and about no ids: it finds the items');
  }
  if (verdict.kind === 'applied') checkApplied(verdict.datasetId, ids);
  const acceptsSecondEffect = args.flag('accept-second-effect');
  if (acceptsSecondEffect && verdict.kind !== 'repeat')
    throw new UsageError('--accept-second-effect is about --repeat: leave it out');
  const because = isSuperseded
    ? (args.text('reason') ?? 'a newer version took its place')
    : givenReason(args, { verdict, acceptsSecondEffect, isBulk });

  const isDryRun = args.flag('dry-run');
  // Each of those rows did nothing, and its work is done: there is nothing to confirm.
  const needsCount = isBulk && !isSuperseded;
  const confirmed = confirmedCount(args, { isBulk: needsCount, isDryRun, isClosed: rows.filter?.isClosed === true });
  return { verdict, rows, isDryRun, acceptsSecondEffect, because, confirmed };
}

function givenReason(
  args: CommandArguments,
  decision: Pick<ResolveRequest, 'verdict' | 'acceptsSecondEffect'> & { readonly isBulk: boolean },
): string | undefined {
  const isNeeded = decision.verdict.kind === 'dismiss' || decision.acceptsSecondEffect || decision.isBulk;
  return isNeeded ? requiredReason(args) : args.text('reason');
}

function wantedFilter(args: CommandArguments, clock: ZonedClock): ParkedFilter {
  const filter = { ...parkedFilter(args, clock), isSuperseded: args.flag('superseded') };
  if (selects(filter)) return filter;
  if (args.text('applied') !== undefined) {
    throw new UsageError(
      '--applied is about one upload: its ID, and the id that it has at the gateway in the place of DATASET-ID',
      {
        command: ['autopilot', 'parked', 'resolve', 'ID', '--applied', 'DATASET-ID'],
      },
    );
  }
  throw new UsageError('parked resolve needs an id, or --code, --since or --before to select items by', {
    command: ['autopilot', 'parked', 'list'],
  });
}

function checkedIds(ids: readonly string[], args: CommandArguments): readonly string[] {
  const name = ['code', 'since', 'before'].find((option) => args.text(option) !== undefined);
  if (name !== undefined) throw new UsageError(`give ids, or select items by --${name}: not both`);
  return ids;
}

function verdictOf(args: CommandArguments): RowVerdict {
  const datasetId = args.text('applied');
  const choices =
    'one of --applied DATASET-ID (it is at the gateway), --repeat (do it again), --dismiss --reason … (nothing more)';
  if (datasetId !== undefined) return { kind: 'applied', datasetId: datasetId.trim() };
  if (args.flag('repeat')) return { kind: 'repeat' };
  if (args.flag('dismiss')) return { kind: 'dismiss' };
  throw new UsageError(`parked resolve needs a decision: ${choices}`);
}

function checkApplied(datasetId: string, ids: readonly string[]): void {
  if (ids.length !== 1) throw new UsageError('--applied is about one upload: give its id, and one alone');
  if (datasetId === ids[0]) {
    throw new UsageError(
      `${datasetId} is the id of the parked item: --applied takes that of the dataset at the gateway`,
    );
  }
}

/** Many rows are decided about in two steps: a dry run that counts them, then the same with the count. */
function confirmedCount(
  args: CommandArguments,
  how: { readonly isBulk: boolean; readonly isDryRun: boolean; readonly isClosed: boolean },
): number | undefined {
  const text = args.text('yes');
  if (text === undefined) {
    if (!how.isBulk || how.isDryRun) return undefined;
    throw new UsageError(
      'this would resolve many items: look first with --dry-run, which prints the command that does it',
    );
  }
  if (!how.isBulk) throw new UsageError('--yes confirms the count of a dry run, and ids need none: leave it out');
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new UsageError(`--yes ${text}: give the number of items that the dry run counted`);
  if (!how.isClosed) {
    throw new UsageError(
      '--yes needs the --before that the dry run printed: what was parked since is not decided about',
    );
  }
  return Number(text);
}

/** What became of all rows of one `parked resolve`. */
export interface ResolveSummary {
  readonly resolved: readonly ResolveReport[];
  /** Rows for which the decision could not be taken. */
  readonly left: readonly { readonly id: string; readonly subject: string; readonly problem: string }[];
  /** Rows that an interruption kept from being decided about. */
  readonly untouched: number;
}

/** More rows than these are one line in the end; failures are always shown. */
const maxLines = 20;

/** A line or a few for each row, and for several rows the sum of it. */
export function reportLines({ resolved, left, untouched }: ResolveSummary, screen: TextScreen): readonly string[] {
  const shown = resolved.length > maxLines ? resolved.filter(({ problem }) => problem !== undefined) : resolved;
  const lines = [
    ...shown.flatMap((report) => rowLines(report, screen)),
    ...[...Map.groupBy(left, ({ problem }) => problem)].flatMap(([problem, rows]) => leftLines(problem, rows, screen)),
  ];
  if (untouched === 0 && resolved.length + left.length === 1) return lines;
  if (resolved.length + left.length + untouched === 0) return ['nothing of that kind is parked'];
  return [...lines, ...sumLines({ resolved, left, untouched }, screen)];
}

/** Many rows that are left for one reason need only one sentence about it. */
function leftLines(problem: string, rows: ResolveSummary['left'], { paint, at, width }: TextScreen): readonly string[] {
  const why = withInstants(problem, at);
  const [first] = rows;
  if (first !== undefined && rows.length === 1) {
    return [`${first.id} ${first.subject}: ${paint('red', 'not resolved')}: ${why}`];
  }
  return [
    `${rows.length} ${paint('red', 'not resolved')}: ${why}`,
    ...listedRows(
      rows.map(({ id, subject }) => [id, subject]),
      width,
    ),
  ];
}

/** The first rows of many, each as wide as the terminal at most; the count is of all. One row is whole. */
export function listedRows(rows: readonly (readonly string[])[], width = Infinity): readonly string[] {
  // The subject, which may be a key, is cut in its middle: it is not the last column.
  const shown = rows.slice(0, maxLines).map((cells) => [...cells, '']);
  const more = rows.length > maxLines ? [`and ${rows.length - maxLines} more`] : [];
  return [...oneLine(shown, { width: rows.length > 1 ? width - 2 : undefined }), ...more].map((line) => `  ${line}`);
}

function sumLines({ resolved, left, untouched }: ResolveSummary, { line }: TextScreen): readonly string[] {
  const failed = resolved.filter(({ problem }) => problem !== undefined).length;
  const [first] = resolved;
  const parts = [
    `${resolved.length - failed} ${first === undefined ? 'resolved' : doneWords[first.decision]}`,
    ...(failed + left.length === 0 ? [] : [`${failed + left.length} not resolved`]),
    ...(untouched === 0 ? [] : [`interrupted: ${untouched} not touched`]),
  ];
  const awaits = resolved.some(({ decision, isSent, next }) => decision === 'repeat' && isSent && next === undefined);
  if (!awaits) return [parts.join(', ')];
  return [`${parts.join(', ')}. How they end:`, `  ${line(['autopilot', 'status'])}`];
}

function rowLines(report: ResolveReport, screen: TextScreen): readonly string[] {
  const { paint } = screen;
  const about = `${report.id} ${report.subject}`;
  if (report.problem !== undefined)
    return [`${about}: ${paint('red', 'not resolved')}: ${withInstants(report.problem, screen.at)}`];
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
  const hasOutcome = report.next.outcome !== 'sent' && report.next.outcome !== 'waiting';
  const as = report.as === undefined || hasOutcome ? '' : ` as ${report.as}`;
  return outcomeLines(`${about}: sent again${as}`, report.next, screen);
}
