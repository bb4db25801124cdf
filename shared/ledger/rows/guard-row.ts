import { createHash } from 'node:crypto';
import type { CommandOrder } from '../../messages/campaign-run-command.ts';
import { wallClockAt } from '../../schedule/time-zone.ts';
import type { LedgerRowBase } from './ledger-row.ts';
import { ledgerKeys } from './row-keys.ts';
import { type RunRow, type SentStart, startOf } from './run-row.ts';

/** A run's place, from its start until it is stopped or its `until` passes. */
export interface Reservation {
  readonly campaignRunId: string;
  readonly startId: string;
  readonly issuedAt: string;
  /** Its campaign at the gateway, if the configuration names it. */
  readonly campaignId?: string;
  readonly since: string;
  /** It ends by itself then, unless a stop is planned. */
  readonly until: string;
  /** When its planned stop is due; that one must be applied, however late. */
  readonly plannedStopAt?: string;
}

/** See {@link Reservation}. */
export interface GuardRow extends LedgerRowBase {
  readonly kind: 'guard';
  /** The campaign, the shared target, or the bare uuid of an unconfigured run. */
  readonly name: string;
  readonly reservations: readonly Reservation[];
  /**
   * Starts of campaigns that have a budget: by calendar month of their effect in the stage's zone (`2026-11`), then by campaign. Each is a short
   * digest of its command's id, so that none counts twice and one that was not applied is taken out again.
   */
  readonly startsOfMonth?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** The latest deferred start of each run, by the run's name or uuid. */
  readonly deferred?: Readonly<Record<string, CommandOrder>>;
  /** The last two starts that ended, and when: a campaign that moved may have moved because of them. */
  readonly ended?: readonly { readonly startId: string; readonly at: string }[];
}

/** The guard row of a campaign without any start. */
export function newGuardRow(name: string): GuardRow {
  return { pk: ledgerKeys.guard(name), kind: 'guard', name, reservations: [] };
}

/** The reservation of a start. */
export function reservationOf(campaignRunId: string, start: SentStart): Reservation {
  const { startId, issuedAt, campaignId, effectAt, until, plannedStop } = start;
  return { campaignRunId, startId, issuedAt, campaignId, since: effectAt, until, plannedStopAt: plannedStop?.at };
}

/** With this reservation in the place of any other of the same run. */
export function withReservation(guard: GuardRow, reservation: Reservation): GuardRow {
  return { ...guard, reservations: [...withoutRun(guard, reservation.campaignRunId), reservation] };
}

/**
 * The guard row as a start of this run sees it. A deployment may have changed the target since the run began: its place is in the guard row of that time.
 */
export function withRunInFlight(
  guard: GuardRow | undefined,
  target: string,
  row: RunRow | undefined,
): GuardRow | undefined {
  const start = row === undefined ? undefined : startOf(row);
  if (row === undefined || start === undefined || start.guardName === target) return guard;
  return withReservation(guard ?? newGuardRow(target), reservationOf(row.campaignRunId, start));
}

/** Without the reservation of a run whose start never began. */
export function withoutReservation(guard: GuardRow, campaignRunId: string): GuardRow {
  return { ...guard, reservations: withoutRun(guard, campaignRunId) };
}

/** Without the reservation of a run that ended at `at`; it still counts in its month. */
export function freed(guard: GuardRow, ended: { campaignRunId: string; startId: string; at: string }): GuardRow {
  const { campaignRunId, startId, at } = ended;
  const others = (guard.ended ?? []).filter((one) => one.startId !== startId);
  const reservations = guard.reservations.filter(
    (one) => one.campaignRunId !== campaignRunId || one.startId !== startId,
  );
  return { ...guard, reservations, ended: [...others, { startId, at }].slice(-keptEnds) };
}

/** Two: of any start in question, the latest end of another one is among them. */
const keptEnds = 2;

/** Notes the latest start of a run that a blackout defers. */
export function withDeferred(guard: GuardRow, run: string, { issuedAt, id }: CommandOrder): GuardRow {
  return { ...guard, deferred: { ...guard.deferred, [run]: { issuedAt, id } } };
}

/**
 * Reservations that count as in flight at an instant: a planned stop must be applied, also after
 * its time.
 */
export function reservationsAt(guard: GuardRow | undefined, instant: Date): readonly Reservation[] {
  const isOpen = ({ until, plannedStopAt }: Reservation) =>
    plannedStopAt !== undefined || Date.parse(until) > instant.getTime();
  return (guard?.reservations ?? []).filter(isOpen);
}

function withoutRun(guard: GuardRow, campaignRunId: string): readonly Reservation[] {
  return guard.reservations.filter((one) => one.campaignRunId !== campaignRunId);
}

/** Which count a start belongs to: the month of its effect on the wall of the stage's zone. */
export interface BudgetedMonth {
  /** `2026-11` */
  readonly month: string;
  readonly campaign: string;
}

/** Characters of the digest of a start's id. */
const digestLength = 16;

/** No count needs starts with an effect before this, in any zone and with any clock. */
const keptMs = 62 * 86_400_000;

/** The calendar month of an instant in a zone: `2026-11`. */
export function monthOf(instant: Date, timeZone: string): string {
  return new Date(wallClockAt(instant.getTime(), timeZone)).toISOString().slice(0, 'yyyy-mm'.length);
}

/** How many starts of that month count. */
export function startsUsed(guard: GuardRow | undefined, { month, campaign }: BudgetedMonth): number {
  return guard?.startsOfMonth?.[month]?.[campaign]?.length ?? 0;
}

/** Whether this very start counts there already: an earlier attempt of it reserved its place. */
export function isCounted(guard: GuardRow | undefined, { month, campaign }: BudgetedMonth, commandId: string): boolean {
  return guard?.startsOfMonth?.[month]?.[campaign]?.includes(digestOf(commandId)) === true;
}

/** Counts a start, once, and forgets months that are not asked for any more. */
export function countStart(guard: GuardRow, where: BudgetedMonth, commandId: string, now: Date): GuardRow {
  const { month, campaign } = where;
  const oldest = monthOf(new Date(now.getTime() - keptMs), 'UTC');
  const months = Object.entries(uncountStart(guard, commandId).startsOfMonth ?? {}).filter(([name]) => name >= oldest);
  const kept = Object.fromEntries(months);
  const counted = [...(kept[month]?.[campaign] ?? []), digestOf(commandId)];
  return { ...guard, startsOfMonth: { ...kept, [month]: { ...kept[month], [campaign]: counted } } };
}

/** Gives the place of a start back: it was not applied. The same item if it had none. */
export function uncountStart(guard: GuardRow, commandId: string): GuardRow {
  const digest = digestOf(commandId);
  const months = Object.entries(guard.startsOfMonth ?? {});
  const isCountedAnywhere = months.some(([, campaigns]) =>
    Object.values(campaigns).some((starts) => starts.includes(digest)),
  );
  if (!isCountedAnywhere) return guard;
  const left = months.map(([month, campaigns]) => [
    month,
    Object.fromEntries(
      Object.entries(campaigns).map(([campaign, starts]) => [campaign, starts.filter((one) => one !== digest)]),
    ),
  ]);
  return { ...guard, startsOfMonth: Object.fromEntries(left) };
}

function digestOf(commandId: string): string {
  return createHash('sha256').update(commandId).digest('hex').slice(0, digestLength);
}
