import { isEnd } from '#shared/ledger/rows/run-row.ts';
import { handleOf } from '../handles.ts';
import type { CommandRow, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CommandSender } from '#shared/messages/command-senders.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type RunReport, runReport, stageClock } from '../run-state/run-report.ts';
import { readRunRows, type RunRows } from '../run-state/run-rows.ts';
import { type EndedCommand, type HistoryRange, readHistory, runIdOf } from './history.ts';

/** One command as `history` tells it. */
export interface HistoryEntry extends Pick<
  CommandRow,
  'campaignRunId' | 'request' | 'deferred' | 'mayHaveRun' | 'resolutions'
> {
  /** When it ended; of a deferred one, until when. */
  readonly at: string;
  readonly id: string;
  readonly action: CampaignRunCommand['action'];
  /** The configured run, if it was about one. */
  readonly run?: string;
  /** Of an applied start: the campaign of its run, by its configured name. */
  readonly campaign?: string;
  /** Of a start that was sent: when its run begins, by the request that counts. */
  readonly effectAt?: string;
  /** Of a start that planned a stop. */
  readonly stopDueAt?: string;
  /** Of a start: how its run stands, or ended. */
  readonly stands?: RunReport;
  /** Of a start whose run has ended. */
  readonly endedAt?: string | undefined;
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
export const lateAfterMs = 2 * 60_000;

/**
 * Tells one command.
 * @param run - the configured run that it was about; a command that names only an id does not know
 * @param stood - of a start: its rows, and how its run stands
 */
export function toHistoryEntry(row: CommandRow, run = row.command.run, stood?: Stood): HistoryEntry {
  const { command, outcome, resolutions, deferred } = row;
  const { action, origin, issuedAt, reason } = command;
  return {
    at: row.openSince ?? outcome?.at ?? '',
    id: row.id,
    action,
    run,
    campaignRunId: runIdOf(row),
    ...startTimes(row),
    ...standsOf(stood),
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

function startTimes({
  facts,
  startAt = facts?.due,
}: CommandRow): Pick<HistoryEntry, 'campaign' | 'effectAt' | 'stopDueAt'> {
  return { campaign: facts?.campaign, effectAt: startAt, stopDueAt: facts?.plansStop ? facts.endsAt : undefined };
}

/** The rows of a start, and how its run stands. */
interface Stood {
  readonly rows: RunRows;
  readonly stands: RunReport;
}

function standsOf(stood: Stood | undefined): Pick<HistoryEntry, 'stands' | 'endedAt' | 'stopId'> {
  if (stood === undefined) return {};
  const { rows, stands } = stood;
  return { stands, endedAt: stands.endedAt, stopId: isEnd(rows.end) ? rows.stop?.id : undefined };
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

/** A page of the history. */
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
  const clock = await stageClock(deps);
  const starts = found.flatMap(({ row }) => (row.command.action === 'start' ? [row] : []));
  const stood = new Map(
    (await readRunRows(starts, ledger)).map((rows) => [rows.start.id, { rows, stands: runReport(rows, clock) }]),
  );
  const entries = found.map(({ row, run }) => toHistoryEntry(row, run, stood.get(row.id)));
  return { entries, isMore, nextBefore: isMore ? last : undefined };
}
