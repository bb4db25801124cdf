import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { CommandRow, Deferral, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import { type EndedCommand, type HistoryRange, readHistory, runIdOf } from './history.ts';
import { createRunEnds, type EndedBy, noteLaterEnds, type RunEnded } from './run-ends.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { handleOf } from '#shared/ledger/open-rows.ts';

/** One command as `history` tells it. */
export interface HistoryEntry {
  /** When it ended; of one that is put off, until when. */
  readonly at: string;
  readonly id: string;
  readonly action: CampaignRunCommand['action'];
  /** The configured run, if it was about one. */
  readonly run?: string;
  readonly campaignRunId?: string;
  /** Of an applied start: the campaign of its run, by its configured name. */
  readonly campaign?: string;
  /** Of an applied start: when its run begins by what was sent. */
  readonly effectAt?: string;
  /** Of an applied start that planned a stop. */
  readonly stopDueAt?: string;
  /** Of an applied start whose run has ended. */
  readonly endedAt?: string;
  /** What ended that run. */
  readonly endedBy?: EndedBy;
  /** How a blackout put this start off, also if it has its outcome since. */
  readonly deferred?: Deferral;
  /** What became of it. */
  readonly outcome: OutcomeKind | 'deferred';
  readonly reason?: ReasonCode;
  readonly detail?: string;
  readonly askedBy: CampaignRunCommand['origin'];
  readonly askedAt: string;
  readonly askedBecause?: string;
  /** Guards that said no, whether it counted or an operator had overridden them. */
  readonly refusals: readonly RecordedVerdict[];
  /** A request of this start left and was not proven to have failed: its run may have been running in this interval. */
  readonly mayHaveRun?: CommandRow['mayHaveRun'];
  /** Milliseconds from the command to the effect, where they are more than a command takes. */
  readonly lateMs?: number;
  /** Nothing was sent: the stage only observes. */
  readonly isObserved: boolean;
  /** It still waits for a person, under this handle. */
  readonly parkedId?: string;
  readonly resolutions?: readonly Resolution[];
}

/** A command is handled in seconds, a due stop by a tick a minute: more than this is late. */
export const lateAfterMs = 2 * 60_000;

/**
 * Tells one command.
 * @param run - the configured run that it was about; a command that names only an id does not know
 * @param end - of an applied start how its run ended, if that is known
 */
export function historyEntry(row: Stored<CommandRow>, run = row.command.run, end?: RunEnded): HistoryEntry {
  const { command, outcome, resolutions, facts, deferred } = row;
  const { action, origin, issuedAt, reason } = command;
  return {
    at: row.openSince ?? outcome?.at ?? '',
    id: row.id,
    action,
    run,
    campaignRunId: runIdOf(row),
    ...startTimes(facts),
    ...end,
    deferred,
    outcome: outcome?.kind ?? 'deferred',
    reason: outcome?.reason,
    detail: detailOf(row),
    askedBy: origin,
    askedAt: issuedAt,
    askedBecause: reason,
    refusals: (row.verdicts ?? []).filter(({ verdict }) => verdict !== 'apply'),
    mayHaveRun: row.mayHaveRun,
    lateMs: lateBy(row),
    isObserved: row.isObserved === true || isObserved(row),
    parkedId: row.openState === 'PARKED' ? handleOf(row.pk) : undefined,
    resolutions,
  };
}

/** What the row of an applied start keeps for its event. */
function startTimes(facts: CommandRow['facts'] = {}): Pick<HistoryEntry, 'campaign' | 'effectAt' | 'stopDueAt'> {
  const { campaign, effectAt, stopDueAt } = facts;
  return { campaign, effectAt, stopDueAt };
}

function detailOf({ outcome, deferred }: CommandRow): string | undefined {
  return outcome?.detail ?? (deferred && `put off by the blackout ${deferred.blackout}`);
}

/** One that a person let wait, or a blackout put off, is not late. */
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
  { stage, now: readNow }: Pick<OperatorDeps, 'stage' | 'now'>,
): Promise<HistoryPage> {
  const [ledger, now] = await Promise.all([stage.ledger(), readNow()]);
  const ends = createRunEnds();
  const found: EndedCommand[] = [];
  let [isMore, read, last] = [false, 0, ''];
  for await (const command of readHistory(ledger, { ...range, onRow: ends.note })) {
    const entry = historyEntry(command.row, command.run);
    const isFull = found.length >= limit || read >= mostRead;
    isMore = isFull && (hasWholeInstants !== true || entry.at !== last);
    if (isMore) break;
    read += 1;
    last = entry.at;
    if (matches(entry)) found.push(command);
  }
  const starts = found.map(({ row }) => row);
  if (range.before !== undefined) await noteLaterEnds(ledger, starts, { ends, after: range.before, now });
  const entries = found.map(({ row, run }) => historyEntry(row, run, ends.of(row, now)));
  return { entries, isMore, nextBefore: isMore ? last : undefined };
}
