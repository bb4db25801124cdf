import { type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import {
  type CampaignRunCommand,
  compareGenerations,
  type Generation,
} from '../../shared/messages/campaign-run-command.ts';
import type { RunPolicy } from './run-policy.ts';
import type { StartTimes } from './start-times.ts';

/** Pure transitions of the rows of runs and guards: what a row becomes. Whether it may become that is the conditional write's affair. */

/**
 * After a request of unknown outcome no other wish is sent for this run for a while: at least as long as a server works on one request
 * (reliability.md 4.2), so that a late effect cannot land after ours.
 */
const inDoubtMs = 60_000;

/** Who holds a row now, and what the clock says. */
export interface Attempt {
  readonly owner: string;
  readonly now: Date;
  /** Milliseconds until the platform cuts it: then its lease ends, and whoever comes next finds its doubt. */
  readonly remainingMs: number;
}

/** A row for a run that was never touched. */
export function newRun(campaignRunId: string, run: string | undefined): RunItem {
  return { pk: ledgerKeys.run(campaignRunId), kind: 'run', campaignRunId, ...(run === undefined ? {} : { run }) };
}

/** Whether a recorded generation makes this command moot. */
export function isNewer(recorded: Generation | undefined, command: Generation): boolean {
  return recorded !== undefined && compareGenerations(recorded, command) > 0;
}

/** Milliseconds until the lease of somebody else ends; 0: free. */
export function leaseRemainingMs(row: RunItem, { owner, now }: Pick<Attempt, 'owner' | 'now'>): number {
  if (row.lease === undefined || row.lease.owner === owner) return 0;
  return Math.max(0, Date.parse(row.lease.until) - now.getTime());
}

/** Milliseconds until nothing that was sent for another command can land any more; 0: nothing is in doubt, or its wait is over. */
export function doubtRemainingMs(row: RunItem, now: Date): number {
  return row.inDoubt === undefined ? 0 : Math.max(0, Date.parse(row.inDoubt.until) - now.getTime());
}

/** A stop is recorded and neither applied nor refused for good: a start waits for it. */
export function hasPendingStop(row: RunItem): boolean {
  const { wish, applied, refusedStop } = row;
  return wish?.action === 'stop' && applied?.id !== wish.id && refusedStop !== wish.id;
}

/** Whether the gateway may have been asked to start this run: then its id is used up. */
export function mayHaveBeenStarted(row: RunItem | undefined): boolean {
  return row?.applied !== undefined || row?.inDoubt?.action === 'start';
}

/** Before the PATCH that starts: wish, lease, the doubt that holds if this attempt dies, and the stop, armed. */
export function beginStart(
  row: RunItem,
  command: CampaignRunCommand,
  times: StartTimes,
  attempt: Attempt & {
    readonly policy: Pick<RunPolicy, 'guardName'>;
    readonly stopStatus: string;
    readonly before?: NonNullable<RunItem['inDoubt']>['before'];
  },
): RunItem {
  const { issuedAt, id } = command;
  const { before, now } = attempt;
  return {
    ...row,
    guardName: attempt.policy.guardName,
    wish: { action: 'start', issuedAt, id, ...(times.startAt === undefined ? {} : { startAt: times.startAt }) },
    lease: leaseFor(attempt),
    inDoubt: { id, action: 'start', until: inFuture(now, inDoubtMs), ...(before === undefined ? {} : { before }) },
    inFlightUntil: times.inFlightUntil,
    ...(times.stopDueAt === undefined
      ? {}
      : { stopDue: { at: times.stopDueAt, commandId: id, status: attempt.stopStatus } }),
    openState: 'RUN_IN_FLIGHT',
    openSince: times.effectAt,
  };
}

/** The gateway said yes to a start. */
export function startApplied(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const { inDoubt: _inDoubt, refusals: _refusals, ...rest } = released(row);
  const { issuedAt, id } = command;
  return { ...rest, appliedStart: id, applied: { action: 'start', issuedAt, id, at: now.toISOString() } };
}

/**
 * This attempt at a start is proven not applied: everything is as it was before it, so that an earlier attempt's doubt and an earlier start's
 * armed stop stay, and this start outranks nothing.
 */
export function startWithdrawn(before: RunItem, refusals: RunItem['refusals']): RunItem {
  const { refusals: _refusals, ...rest } = released(before);
  return refusals === undefined ? rest : { ...rest, refusals };
}

/** A request of unknown outcome: the lease ends, the doubt counts from now. */
export function leftInDoubt(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const before = row.inDoubt?.id === command.id ? row.inDoubt.before : undefined;
  const action = command.action === 'stop' ? 'stop' : 'start';
  return {
    ...released(row),
    inDoubt: { id: command.id, action, until: inFuture(now, inDoubtMs), ...(before === undefined ? {} : { before }) },
  };
}

/** Before the PATCH that stops. */
export function beginStop(row: RunItem, command: CampaignRunCommand, attempt: Attempt): RunItem {
  return { ...row, wish: { action: 'stop', issuedAt: command.issuedAt, id: command.id }, lease: leaseFor(attempt) };
}

/** The gateway said yes to a stop: nothing is in flight any more. Only an earlier try of this very stop may still be on its way. */
export function stopApplied(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const { inDoubt, stopDue: _stopDue, inFlightUntil: _until, refusals: _refusals, ...rest } = released(row);
  const { openState: _openState, openSince: _openSince, ...closed } = rest;
  return {
    ...closed,
    ...(inDoubt?.id === command.id ? { inDoubt } : {}),
    applied: { action: 'stop', issuedAt: command.issuedAt, id: command.id, at: now.toISOString() },
  };
}

/** The gateway refused a stop for good: no start waits for it. What is armed stays armed. */
export function stopRefused(row: RunItem, command: CampaignRunCommand): RunItem {
  const { refusals: _refusals, ...rest } = released(row);
  return { ...rest, refusedStop: command.id };
}

/** Before the PATCH of name and preserve. */
export function beginUpdate(row: RunItem, attempt: Attempt): RunItem {
  return { ...row, lease: leaseFor(attempt) };
}

/** The gateway said yes to an update. */
export function updateApplied(row: RunItem, command: CampaignRunCommand): RunItem {
  return { ...released(row), updated: { issuedAt: command.issuedAt, id: command.id } };
}

/** The attempt ends and the row is free. */
export function released(row: RunItem): RunItem {
  const { lease: _lease, ...rest } = row;
  return rest;
}

/** The row with the count of healing refusals as it is now. */
export function withRefusals(row: RunItem, refusals: RunItem['refusals']): RunItem {
  const { refusals: _refusals, ...rest } = row;
  return refusals === undefined ? rest : { ...rest, refusals };
}

/** Reserves the guard item for a start. */
export function reserveGuard(
  guard: GuardItem | undefined,
  name: string,
  start: { readonly campaignRunId: string; readonly commandId: string; readonly times: StartTimes },
): GuardItem {
  return {
    ...(guard ?? { pk: ledgerKeys.guard(name), kind: 'guard', name }),
    inFlight: {
      campaignRunId: start.campaignRunId,
      commandId: start.commandId,
      since: start.times.effectAt,
      until: start.times.inFlightUntil,
    },
  };
}

/** The reservation ends. */
export function freeGuard(guard: GuardItem): GuardItem {
  const { inFlight: _inFlight, ...rest } = guard;
  return rest;
}

function leaseFor({ owner, now, remainingMs }: Attempt): { owner: string; until: string } {
  return { owner, until: inFuture(now, remainingMs) };
}

function inFuture(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}
