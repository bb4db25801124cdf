import { isEnd } from '#shared/ledger/rows/run-row.ts';
import { handleOf } from '../handles.ts';
import type { CommandRow, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CommandSender } from '#shared/messages/command-senders.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { type RunReport, runReport, stageClock } from '../run-state/run-report.ts';
import { readRunRows, runIdOf, type RunRows } from '../run-state/run-rows.ts';
import { type EndedCommand, type HistoryRange, readHistory } from './history.ts';

/** One command as `history` tells it. */
export interface HistoryEntry extends Pick<
  CommandRow,
  'campaignRunId' | 'request' | 'deferred' | 'mayHaveRun' | 'resolutions'
> {
  /** When it ended; of a deferred one, until when. */
  readonly at: string;
  readonly id: string;
  readonly action: CampaignRunCommand['action'];
  /** The configured run that it was about, if it was about one. */
  readonly name?: string;
  /** Of a start: how its run stands, or ended. */
  readonly run?: RunReport;
  /** Of an applied start: the campaign of its run, by its configured name. */
  readonly campaign?: string;
  /** The stop that ended that run, or found it ended. */
  readonly stopId?: string | undefined;
  /** What became of it. */
  readonly outcome: OutcomeKind | 'deferred';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  readonly askedBy: CampaignRunCommand['origin'];
  /** Who sent its message, as SQS proves it. */
  readonly sentBy?: CommandSender;
  readonly askedAt: string;
  readonly askedBecause?: string;
  /** Guards that said no, whether it counted or an operator had overridden them. */
  readonly refusals: readonly RecordedVerdict[];
  /** Milliseconds from the command to the effect, if they are more than a command takes. */
  readonly lateMs?: number;
  /** Nothing was sent: the stage only observes. */
  readonly isObserved: boolean;
  /** It still waits for a person, under this handle. */
  readonly parkedId?: string;
}

/** A command is handled in seconds, a due stop by a tick a minute: more than this is late. */
const lateAfterMs = 2 * 60_000;

/**
 * Tells one command.
 * @param name - the configured run that it was about; a command that names only an id does not know
 * @param known - of a start: its rows, and a clock
 */
export function toHistoryEntry(row: CommandRow, name = row.command.run, known?: KnownRun): HistoryEntry {
  const { command, outcome, resolutions, deferred } = row;
  const { action, origin, issuedAt, reason } = command;
  return {
    at: row.openSince ?? outcome?.at ?? '',
    id: row.id,
    action,
    name,
    ...toldRun(known),
    campaignRunId: runIdOf(row),
    campaign: row.facts?.campaign,
    request: row.request,
    deferred,
    outcome: outcome?.kind ?? 'deferred',
    reason: outcome?.reason,
    detail: detailOf(row),
    askedBy: origin,
    sentBy: row.sender,
    askedAt: issuedAt,
    askedBecause: reason,
    refusals: (row.verdicts ?? []).filter(({ verdict }) => verdict !== 'apply'),
    mayHaveRun: row.mayHaveRun,
    lateMs: lateBy(row),
    isObserved: row.isObserved === true,
    parkedId: row.openState === 'PARKED' ? handleOf(row.pk) : undefined,
    resolutions,
  };
}

/** The rows of a start, and the clock for its sentence. */
interface KnownRun {
  readonly rows: RunRows;
  readonly clock: ZonedClock;
}

function toldRun(known: KnownRun | undefined): Pick<HistoryEntry, 'run' | 'stopId'> {
  if (known === undefined) return {};
  const { rows, clock } = known;
  return { run: runReport(rows, clock), stopId: isEnd(rows.end) ? rows.stop?.id : undefined };
}

function detailOf({ outcome, deferred }: CommandRow): string | undefined {
  return outcome?.detail ?? (deferred && `deferred by the blackout ${deferred.blackout}`);
}

/** One that waited for a decision, or that a blackout deferred, is not late. */
function lateBy({ command, outcome, deferred, resolutions }: CommandRow): number | undefined {
  if (outcome?.kind !== 'applied' || deferred !== undefined || resolutions !== undefined) return undefined;
  const lateMs = Date.parse(outcome.at) - Date.parse(command.issuedAt);
  return lateMs >= lateAfterMs ? lateMs : undefined;
}

/** Which commands a page of the history holds. */
export interface PageRange extends HistoryRange {
  /** Only entries of which this is true. A page then ends after `mostRead` commands, however few it holds. */
  readonly matches?: (entry: HistoryEntry) => boolean;
  readonly mostRead?: number;
  /** The page never ends among commands of one instant, so that `before` of the next page leaves none out. It may hold a few more then. */
  readonly hasWholeInstants?: true;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly isMore: boolean;
  /** For `before` of the next page, if there is one. */
  readonly nextBefore?: string;
}

/** Reads a page of the history; one more than it holds tells whether there are older ones. */
export async function historyPage(
  { matches = () => true, mostRead = Infinity, hasWholeInstants, ...range }: PageRange,
  limit: number,
  deps: Pick<OperatorDeps, 'stage' | 'now' | 'zone'>,
): Promise<HistoryPage> {
  const ledger = await deps.stage.ledger();
  const found: EndedCommand[] = [];
  let [isMore, read, last] = [false, 0, ''];
  for await (const command of readHistory(ledger, range)) {
    const entry = toHistoryEntry(command.row, command.run);
    const isFull = found.length >= limit || read >= mostRead;
    isMore = isFull && (hasWholeInstants !== true || entry.at !== last);
    if (isMore) break;
    read += 1;
    last = entry.at;
    if (matches(entry)) found.push(command);
  }
  return { entries: await toldEntries(found, deps), isMore, nextBefore: isMore ? last : undefined };
}

/** Tells commands, each start with its run: two batches of keys for all of them. */
export async function toldEntries(
  commands: readonly EndedCommand[],
  deps: Pick<OperatorDeps, 'stage' | 'now' | 'zone'>,
): Promise<readonly HistoryEntry[]> {
  const [ledger, clock] = await Promise.all([deps.stage.ledger(), stageClock(deps)]);
  const starts = commands.flatMap(({ row }) => (row.command.action === 'start' ? [row] : []));
  const known = new Map((await readRunRows(starts, ledger)).map((rows) => [rows.start.id, rows]));
  return commands.map(({ row, run }) => {
    const rows = known.get(row.id);
    return toHistoryEntry(row, run, rows && { rows, clock });
  });
}
