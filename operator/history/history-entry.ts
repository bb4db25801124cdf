import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import { handleOf } from '../handles.ts';
import type { CommandRow, RecordedVerdict } from '#shared/ledger/rows/command-row.ts';
import type { CommandSender } from '#shared/messages/command-senders.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type EndedCommand, type HistoryRange, readHistory, runIdOf, type ShownEnd, shownEnd } from './history.ts';

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
  /** Of a start that was sent: when its run was due to begin. */
  readonly effectAt?: string;
  /** Of a start that planned a stop. */
  readonly stopDueAt?: string;
  /** Of an applied start whose run has ended. */
  readonly endedAt?: string;
  /** What ended that run. */
  readonly endedBy?: EndedBy;
  /** How that run ended, if no stop of ours ended it and the gateway shows runs. */
  readonly ended?: ShownEnd;
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
 * @param end - of an applied start how its run ended, if that is known
 */
export function toHistoryEntry(row: Stored<CommandRow>, run = row.command.run, end?: RunEnded): HistoryEntry {
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

function startTimes(facts: CommandRow['facts']): Pick<HistoryEntry, 'campaign' | 'effectAt' | 'stopDueAt'> {
  return { campaign: facts?.campaign, effectAt: facts?.due, stopDueAt: facts?.plansStop ? facts.endsAt : undefined };
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
  { stage, now: readNow }: Pick<OperatorDeps, 'stage' | 'now'>,
): Promise<HistoryPage> {
  const [ledger, now] = await Promise.all([stage.ledger(), readNow()]);
  const ends = createRunEnds();
  const found: EndedCommand[] = [];
  let [isMore, read, last] = [false, 0, ''];
  for await (const command of readHistory(ledger, { ...range, onRow: ends.note })) {
    const entry = toHistoryEntry(command.row, command.run);
    const isFull = found.length >= limit || read >= mostRead;
    isMore = isFull && (hasWholeInstants !== true || entry.at !== last);
    if (isMore) break;
    read += 1;
    last = entry.at;
    if (matches(entry)) found.push(command);
  }
  const starts = found.map(({ row }) => row);
  if (range.before !== undefined) await noteLaterEnds(ledger, starts, { ends, after: range.before, now });
  const entries = await Promise.all(
    found.map(async ({ row, run }) => toHistoryEntry(row, run, await endOf(row, ends.of(row, now), ledger))),
  );
  return { entries, isMore, nextBefore: isMore ? last : undefined };
}

/** How the run of an applied start ended. */
export interface RunEnded {
  readonly endedAt: string;
  readonly endedBy: EndedBy;
  readonly ended?: ShownEnd;
}

/** By its stop, else as the gateway showed it, else as it was counted out. */
async function endOf(
  start: CommandRow,
  end: RunEnded | undefined,
  ledger: Pick<Ledger, 'read'>,
): Promise<RunEnded | undefined> {
  if (end?.endedBy.kind === 'stop') return end;
  const ended = await shownEnd(start, ledger);
  return ended === undefined ? end : { endedAt: ended.at, endedBy: { kind: 'itself' }, ended };
}

/** `itself`: nothing stopped it, and the stage has counted it as over since. */
type EndedBy =
  | {
      readonly kind: 'stop';
      readonly commandId: string;
      readonly askedBy: CampaignRunCommand['origin'];
      /** The stop found the run over: it ended by itself, or by an earlier stop. */
      readonly foundEnded?: true;
    }
  | { readonly kind: 'itself' };

/** The commands of a walk that ended runs, and what they say about a start. */
interface RunEnds {
  /** Keeps a command that ended a run. */
  readonly note: (row: CommandRow) => void;
  /** @returns `undefined` if the run may go on, or if no noted command tells its end */
  readonly of: (start: CommandRow, now: Date) => RunEnded | undefined;
}

/** An id is one start, so a stop of the id ended that start. */
function createRunEnds(): RunEnds {
  const noted = new Map<string, RunEnded[]>();
  return {
    note(row) {
      for (const [key, end] of endedRuns(row)) noted.set(key, [...(noted.get(key) ?? []), end]);
    },
    of(start, now) {
      const { outcome, facts } = start;
      const key = runIdOf(start);
      if (start.command.action !== 'start' || outcome?.kind !== 'applied' || key === undefined) return undefined;
      const ended = (noted.get(key) ?? []).toSorted((a, b) => a.endedAt.localeCompare(b.endedAt))[0];
      // A run with a planned stop counts as in flight until that stop is settled.
      if (facts === undefined || facts.plansStop) return ended;
      const isOver = Date.parse(facts.endsAt) <= Date.parse(ended?.endedAt ?? now.toISOString());
      return isOver ? { endedAt: facts.endsAt, endedBy: { kind: 'itself' } } : ended;
    },
  };
}

/** How a stop ended the run of a start, or found it ended; `undefined` if it did neither. */
export function endByStop(stop: CommandRow, start: CommandRow): RunEnded | undefined {
  const wanted = runIdOf(start);
  return endedRuns(stop).find(([key]) => key === wanted)?.[1];
}

function endedRuns(row: CommandRow): readonly (readonly [key: string, end: RunEnded])[] {
  const { command, outcome, stops = {} } = row;
  if (command.action !== 'stop') return [];
  const own = outcome?.kind === 'applied' ? runIdOf(row) : undefined;
  const settled = Object.entries({ ...(own === undefined ? {} : { [own]: { how: 'stopped' as const } }), ...stops });
  return settled.flatMap(([id, { how }]) =>
    how === 'stopped' || how === 'ended' ? [[id, endedBy(row, how)] as const] : [],
  );
}

function endedBy({ id, command, outcome, openSince = '' }: CommandRow, how: 'stopped' | 'ended'): RunEnded {
  const found = how === 'ended' ? { foundEnded: true as const } : {};
  return {
    endedAt: outcome?.at ?? openSince,
    endedBy: { kind: 'stop', commandId: id, askedBy: command.origin, ...found },
  };
}

/** A stop that is overdue for longer than this is not looked for. */
const longestOverdueMs = 7 * 86_400_000;

/**
 * Notes the commands that ended after a range, so that starts near its end have theirs. It is a
 * walk, oldest first, that stops once each start has its end.
 * @param starts - those without an end; each is taken out once it has one
 */
async function noteLaterEnds(
  ledger: Pick<Ledger, 'listOpen'>,
  starts: readonly Stored<CommandRow>[],
  { ends, after, now }: { readonly ends: RunEnds; readonly after: Date; readonly now: Date },
): Promise<void> {
  let open = starts.filter((start) => start.facts !== undefined && ends.of(start, now) === undefined);
  if (open.length === 0) return;
  const lastMs = Math.max(...open.map(({ facts }) => Date.parse(facts?.endsAt ?? '') || 0));
  const until = new Date(lastMs + longestOverdueMs).toISOString();
  for await (const row of openRows(ledger, 'ENDED', { since: after.toISOString(), until })) {
    if (row.kind !== 'command') continue;
    ends.note(row);
    open = open.filter((start) => ends.of(start, now) === undefined);
    if (open.length === 0) return;
  }
}
