/** The row of a target: the runs in flight against it, and what its campaigns have started. Campaigns that share a `target` share the row. Pure. */
import { wallClockAt } from '../../schedule/time-zone.ts';
import type { LedgerRowBase, RowVersion } from './row-base.ts';
import { idDigest, ledgerKeys } from './row-keys.ts';
import { dayMs } from '../../schedule/duration.ts';

/**
 * A run in flight, from before the PATCH of its start leaves. It ends when a stop of it is settled, or when it is counted out.
 * Instants are RFC 3339 in UTC.
 */
export interface InFlight {
  readonly campaignRunId: string;
  /** The configured run's name. */
  readonly run: string;
  readonly campaign: string;
  /** Its campaign at the gateway, if the configuration names it. */
  readonly campaignId?: string;
  /** Id of the start command. */
  readonly startId: string;
  /** Of the start command. */
  readonly issuedAt: string;
  /** When the run is due to begin: `issuedAt` + `startDelay`, or the end of the blackout that deferred it. */
  readonly due: string;
  /** When its first request may have left: the run may be running since then. */
  readonly sentAt: string;
  /** `due` + `stopAfter` if a stop is planned, else `due` + `longestRun`. Set once, never moved. */
  readonly endsAt: string;
  readonly plansStop: boolean;
  /** Its campaign is to show it within this long, an ISO 8601 duration. Absent: no sign is looked for. */
  readonly confirmWithin?: string;
  /** The row of its id as the start wrote it: a stop by name writes that row without a read. */
  readonly idRow?: RowVersion;
  readonly state: InFlightState;
  /** Start requests that have no answer yet: one more in the write before each, one less with each answer. */
  readonly unanswered: number;
  /** The stop that made it `stopping`. */
  readonly orderedBy?: string;
  /** At a gateway that starts by a word: when its last start attempt ends (design of word gateways). */
  readonly until?: string;
}

/** How long a run has to show itself, if its campaign confirms nothing. */
export const showsWithin = 'PT30M';

/** `starting`: its start has no outcome yet. `running`: started, or no stop has settled it. `stopping`: a stop has ordered its end. */
type InFlightState = 'starting' | 'running' | 'stopping';

/** See the head of this file. */
export interface TargetRow extends LedgerRowBase {
  readonly kind: 'target';
  /** The campaign, or the target that several campaigns share. */
  readonly target: string;
  readonly runs: readonly InFlight[];
  /** Runs that a stop ended, until the watcher has read what they came to. Only if runs can be read. */
  readonly stopped?: readonly StoppedRun[];
  /**
   * Starts by calendar month of their `due` in the stage's zone (`2026-11`), then by campaign. Each is a digest of its command's id, so that none
   * counts twice and one that was not applied is taken out again.
   */
  readonly startsOfMonth?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The latest `due` of a campaign's own starts, by campaign: the minimum gap counts from it. */
  readonly lastDue?: Readonly<Record<string, string>>;
}

/** The entry of a run that a stop ended. */
export type StoppedRun = InFlight & { readonly stoppedAt: string };

/** The row of a target without any start. */
export function newTargetRow(target: string): TargetRow {
  return { pk: ledgerKeys.target(target), kind: 'target', target, runs: [] };
}

/** The same row with other runs in flight. It is in the index of runs in flight while there is any, or one that was stopped. */
export function withRuns(row: TargetRow, runs: readonly InFlight[]): TargetRow {
  const since = [...runs, ...(row.stopped ?? [])].map(({ sentAt }) => sentAt).toSorted()[0];
  return { ...row, runs, openState: since === undefined ? undefined : 'RUN_IN_FLIGHT', openSince: since };
}

/** With these runs that a stop ended, in place of those that it has. */
export function withStopped(row: TargetRow, stopped: readonly StoppedRun[]): TargetRow {
  return withRuns({ ...row, stopped: stopped.length === 0 ? undefined : stopped }, row.runs);
}

/** With this entry in the place of the one of the same start. */
export function withEntry(row: TargetRow, entry: InFlight): TargetRow {
  const isKnown = row.runs.some(({ startId }) => startId === entry.startId);
  const runs = isKnown ? row.runs.map((one) => (one.startId === entry.startId ? entry : one)) : [...row.runs, entry];
  return withRuns(row, runs);
}

/** Without the entry of a run that was stopped or counted out: the minimum gap counts from its `due` on. */
export function withoutEntry(row: TargetRow, startId: string): TargetRow {
  const entry = row.runs.find((one) => one.startId === startId);
  if (entry === undefined) return row;
  const { campaign, due } = entry;
  const last = [due, row.lastDue?.[campaign] ?? due].toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? due;
  return { ...withoutRun(row, startId), lastDue: { ...row.lastDue, [campaign]: last } };
}

/** What the guards have to remember of a start that is sent. A guard that counts adds its own here, and takes it out in `withoutStart`. */
export function remembered(row: TargetRow, start: StartToRemember, now: Date): TargetRow {
  const { startId, campaign, due, guards, timeZone } = start;
  if (guards.startsPerMonth === undefined) return row;
  return countStart(row, { month: monthOf(new Date(due), timeZone), campaign }, startId, now);
}

/** A start as `remembered` reads it. */
interface StartToRemember extends Pick<InFlight, 'startId' | 'campaign' | 'due'> {
  /** The guards of its campaign. */
  readonly guards: { readonly startsPerMonth?: number | undefined };
  /** The zone of the stage. */
  readonly timeZone: string;
}

/** As if a start had never been: it is proven not applied. */
export function withoutStart(row: TargetRow, startId: string): TargetRow {
  return uncountStart(withoutRun(row, startId), startId);
}

function withoutRun(row: TargetRow, startId: string): TargetRow {
  return withRuns(
    row,
    row.runs.filter((one) => one.startId !== startId),
  );
}

/** A start whose request may have reached the gateway, and no answer came. */
export function isInDoubt({ state, unanswered }: Pick<InFlight, 'state' | 'unanswered'>): boolean {
  return state === 'starting' && unanswered > 0;
}

/** Which count a start belongs to: the month of its `due` on the wall of the stage's zone. */
export interface BudgetedMonth {
  /** `2026-11` */
  readonly month: string;
  readonly campaign: string;
}

/** No count needs starts that were due before this, in any zone and with any clock. */
const keptMs = 62 * dayMs;

/** The calendar month of an instant in a zone: `2026-11`. */
export function monthOf(instant: Date, timeZone: string): string {
  return new Date(wallClockAt(instant.getTime(), timeZone)).toISOString().slice(0, 'yyyy-mm'.length);
}

/** How many starts of that month count. */
export function startsUsed(row: TargetRow | undefined, { month, campaign }: BudgetedMonth): number {
  return row?.startsOfMonth?.[month]?.[campaign]?.length ?? 0;
}

/** Whether this very start counts there already: an earlier attempt of it took its place. */
export function isCounted(row: TargetRow | undefined, { month, campaign }: BudgetedMonth, startId: string): boolean {
  return row?.startsOfMonth?.[month]?.[campaign]?.includes(idDigest(startId)) === true;
}

/** Counts a start, once, and forgets months that are not asked for any more. */
export function countStart(row: TargetRow, where: BudgetedMonth, startId: string, now: Date): TargetRow {
  const { month, campaign } = where;
  const oldest = monthOf(new Date(now.getTime() - keptMs), 'UTC');
  const months = Object.entries(uncountStart(row, startId).startsOfMonth ?? {}).filter(([name]) => name >= oldest);
  const kept = Object.fromEntries(months);
  const counted = [...(kept[month]?.[campaign] ?? []), idDigest(startId)];
  return { ...row, startsOfMonth: { ...kept, [month]: { ...kept[month], [campaign]: counted } } };
}

/** Gives the place of a start back: it was not applied. The same row if it had none. */
function uncountStart(row: TargetRow, startId: string): TargetRow {
  const digest = idDigest(startId);
  const months = Object.entries(row.startsOfMonth ?? {});
  const isCountedAnywhere = months.some(([, campaigns]) =>
    Object.values(campaigns).some((starts) => starts.includes(digest)),
  );
  if (!isCountedAnywhere) return row;
  const left = months.map(([month, campaigns]) => [
    month,
    Object.fromEntries(
      Object.entries(campaigns).map(([campaign, starts]) => [campaign, starts.filter((one) => one !== digest)]),
    ),
  ]);
  return { ...row, startsOfMonth: Object.fromEntries(left) };
}
