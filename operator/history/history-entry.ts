import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { handleOf, openRows } from '#shared/ledger/open-rows.ts';
import type { CommandRow, Deferral, RecordedVerdict, SentRequest } from '#shared/ledger/rows/command-row.ts';
import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import { type CampaignRunCommand, compareCommands } from '#shared/messages/campaign-run-command.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type EndedCommand, type HistoryRange, readHistory, runIdOf } from './history.ts';

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
  /** Of an applied start: the request that began its run. */
  readonly request?: SentRequest;
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
  /** Milliseconds from the command to the effect, if they are more than a command takes. */
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
function startTimes({ campaign, effectAt, stopDueAt }: Partial<NonNullable<CommandRow['facts']>> = {}): Pick<
  HistoryEntry,
  'campaign' | 'effectAt' | 'stopDueAt'
> {
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
  const entries = found.map(({ row, run }) => toHistoryEntry(row, run, ends.of(row, now)));
  return { entries, isMore, nextBefore: isMore ? last : undefined };
}

/** How the run of an applied start ended. */
export interface RunEnded {
  readonly endedAt: string;
  readonly endedBy: EndedBy;
}

/** `itself`: nothing stopped it, and the stage has counted it as over since. */
export type EndedBy =
  | { readonly kind: 'stop' | 'start'; readonly commandId: string; readonly askedBy: CampaignRunCommand['origin'] }
  | { readonly kind: 'itself' };

/** The commands of a walk that ended runs, and what they say about a start. */
export interface RunEnds {
  /** Keeps a command that ended a run. */
  readonly note: (row: CommandRow) => void;
  /** @returns `undefined` if the run may go on, or if no noted command tells its end */
  readonly of: (start: CommandRow, now: Date) => RunEnded | undefined;
}

/** Ids can be used again, so a command ends the latest start that was asked for before it. */
export function createRunEnds(): RunEnds {
  const noted = new Map<string, CommandRow[]>();
  return {
    note(row) {
      for (const key of endedRuns(row)) noted.set(key, [...(noted.get(key) ?? []), row]);
    },
    of(start, now) {
      const { outcome, inFlightUntil } = start;
      const key = runKey(start, runIdOf(start));
      if (start.command.action !== 'start' || outcome?.kind !== 'applied' || key === undefined) return undefined;
      const later = (noted.get(key) ?? []).filter((row) => compareCommands(row.command, start.command) > 0);
      const ended = later.map(endedBy).toSorted((a, b) => a.endedAt.localeCompare(b.endedAt))[0];
      // A run with a planned stop never ends by itself: until that stop is applied it counts as in flight.
      if (inFlightUntil === undefined || start.facts?.stopDueAt !== undefined) return ended;
      const isOver = Date.parse(inFlightUntil) <= Date.parse(ended?.endedAt ?? now.toISOString());
      return isOver ? { endedAt: inFlightUntil, endedBy: { kind: 'itself' } } : ended;
    },
  };
}

/** The runs that a command ended, or started over. */
function endedRuns(row: CommandRow): readonly string[] {
  const { command, outcome, runVerdicts } = row;
  if (command.action === 'update') return [];
  // A stop by name ended several runs, each with its own verdict.
  const stopped = Object.entries(runVerdicts ?? {}).flatMap(([id, { kind }]) => (kind === 'applied' ? [id] : []));
  const own = runVerdicts === undefined && outcome?.kind === 'applied' ? runIdOf(row) : undefined;
  return [...stopped, own].map((id) => runKey(row, id)).filter((key) => key !== undefined);
}

/** What a stage only observed ends nothing that was sent. */
function runKey(row: CommandRow, campaignRunId: string | undefined): string | undefined {
  return campaignRunId && `${isObserved(row) ? 'observed ' : ''}${campaignRunId}`;
}

function endedBy({ id, command, outcome, openSince = '' }: CommandRow): RunEnded {
  const kind = command.action === 'start' ? 'start' : 'stop';
  return { endedAt: outcome?.at ?? openSince, endedBy: { kind, commandId: id, askedBy: command.origin } };
}

/** A stop that is overdue for longer than this is not looked for. */
const longestOverdueMs = 7 * 86_400_000;

/**
 * Notes the commands that ended after a range, so that starts near its end have theirs. It is a
 * walk, oldest first, that stops once each start has its end.
 * @param starts - those without an end; each is taken out once it has one
 */
export async function noteLaterEnds(
  ledger: Pick<Ledger, 'listOpen'>,
  starts: readonly Stored<CommandRow>[],
  { ends, after, now }: { readonly ends: RunEnds; readonly after: Date; readonly now: Date },
): Promise<void> {
  let open = starts.filter((start) => start.inFlightUntil !== undefined && ends.of(start, now) === undefined);
  if (open.length === 0) return;
  const lastMs = Math.max(...open.map(({ inFlightUntil = '' }) => Date.parse(inFlightUntil)));
  const until = new Date(lastMs + longestOverdueMs).toISOString();
  for await (const row of openRows(ledger, 'ENDED', { since: after.toISOString(), until })) {
    if (row.kind !== 'command') continue;
    ends.note(row);
    open = open.filter((start) => ends.of(start, now) === undefined);
    if (open.length === 0) return;
  }
}
