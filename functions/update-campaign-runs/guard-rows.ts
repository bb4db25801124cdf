import { type GuardItem, ledgerKeys, type Reservation } from '../../shared/ledger/items.ts';
import { type BudgetedMonth, countStart, monthOf, uncountStart } from '../../shared/guards/month-budget.ts';
import { reservationsAt } from '../../shared/guards/reservations.ts';
import type { CampaignRunCommand, Generation } from '../../shared/messages/campaign-run-command.ts';
import type { RunPolicy } from './run-policy.ts';
import type { StartTimes } from './start-times.ts';

/** Pure transitions of the guard item: which runs of a campaign are in flight, and how many starts of the month are used. */

/** A start that is to be reserved. */
export interface ReservedStart {
  readonly command: Pick<CampaignRunCommand, 'id' | 'issuedAt'>;
  readonly policy: Pick<RunPolicy, 'campaign' | 'guards'>;
  readonly campaignRunId: string;
  readonly times: StartTimes;
  /** Where calendar months begin. */
  readonly timezone: string;
  readonly now: Date;
}

/** Reserves the guard item for a start and counts it: one write, so that no two workers use the last place. Others in flight stay known. */
export function reserveGuard(guard: GuardItem | undefined, start: ReservedStart): GuardItem {
  const { command, policy, campaignRunId, times, now } = start;
  const held = guard ?? newGuard(policy.guards.target);
  const beside = reservationsAt(held, now).filter(
    (one) => one.commandId !== command.id && one.campaignRunId !== campaignRunId,
  );
  const inFlight: Reservation = {
    campaignRunId,
    commandId: command.id,
    issuedAt: command.issuedAt,
    since: times.effectAt,
    until: times.inFlightUntil,
  };
  const reserved = withReservations(held, [inFlight, ...beside]);
  const where = budgetedMonth(start);
  return where === undefined ? reserved : countStart(reserved, where, command.id, now);
}

/** A start that was proven not applied holds nothing any more and does not count. The same item where it held nothing. */
export function returnReservation(guard: GuardItem, commandId: string): GuardItem {
  return uncountStart(withoutReservation(guard, commandId), commandId);
}

/** A start holds nothing any more, and counts. The same item where it held nothing. */
export function withoutReservation(guard: GuardItem, commandId: string): GuardItem {
  return freeGuard(guard, (one) => one.commandId === commandId);
}

/** Without the reservations that are over; what was started counts all the same. The same item where there is none. */
export function freeGuard(guard: GuardItem, isOver: (reservation: Reservation) => boolean): GuardItem {
  const reservations = reservationsOf(guard);
  const left = reservations.filter((one) => !isOver(one));
  return left.length === reservations.length ? guard : withReservations(guard, left);
}

/** The newest start of a run that was put off. */
export function deferGuard(guard: GuardItem | undefined, name: string, run: string, start: Generation): GuardItem {
  const held = guard ?? newGuard(name);
  return { ...held, deferred: { ...held.deferred, [run]: { issuedAt: start.issuedAt, id: start.id } } };
}

function budgetedMonth({ policy, times, timezone }: ReservedStart): BudgetedMonth | undefined {
  const { campaign, guards } = policy;
  if (campaign === undefined || guards.startsPerMonth === undefined) return undefined;
  return { month: monthOf(new Date(times.effectAt), timezone), campaign };
}

/** The guard item of a campaign that nobody has started yet. */
export function newGuard(name: string): GuardItem {
  return { pk: ledgerKeys.guard(name), kind: 'guard', name };
}

function reservationsOf({ inFlight, beside = [] }: GuardItem): readonly Reservation[] {
  return inFlight === undefined ? beside : [inFlight, ...beside];
}

function withReservations(guard: GuardItem, reservations: readonly Reservation[]): GuardItem {
  const { inFlight: _inFlight, beside: _beside, ...rest } = guard;
  const [inFlight, ...beside] = reservations;
  return {
    ...rest,
    ...(inFlight === undefined ? {} : { inFlight }),
    ...(beside.length === 0 ? {} : { beside }),
  };
}
