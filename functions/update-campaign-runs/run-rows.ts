import type { BindingItem, GuardItem, RunItem } from '../../shared/ledger/items.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import {
  type CampaignRunCommand,
  compareGenerations,
  type Generation,
} from '../../shared/messages/campaign-run-command.ts';
import { durationMs } from '../../shared/schedule/duration.ts';
import type { RunPolicy } from './run-policy.ts';

/** Pure transitions of the rows about runs: what a row becomes. Whether it may become that is the conditional write's affair. */

/** How long a run stays reserved for one attempt: the commands function is cut after 30 s (design: the numbers). */
const leaseMs = 30_000;

/**
 * After a request of unknown outcome nothing is sent for this run for a while: at least as long as a server works on one request
 * (reliability.md 4.2), so that a late effect cannot land after ours.
 */
const inDoubtMs = 60_000;

/** Who holds a row now, and what the clock says. */
export interface Attempt {
  readonly owner: string;
  readonly now: Date;
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
export function leaseRemainingMs(row: RunItem, { owner, now }: Attempt): number {
  if (row.lease === undefined || row.lease.owner === owner) return 0;
  return Math.max(0, Date.parse(row.lease.until) - now.getTime());
}

/** Milliseconds until nothing that was sent before can land any more; 0: nothing is in doubt, or its wait is over. */
export function doubtRemainingMs(row: RunItem, now: Date): number {
  return row.inDoubt === undefined ? 0 : Math.max(0, Date.parse(row.inDoubt.until) - now.getTime());
}

/** Instants of a start: when it goes into effect and what follows from that. */
export interface StartTimes {
  /** Sent to the gateway where the start is delayed. */
  readonly startAt?: string;
  readonly effectAt: string;
  readonly inFlightUntil: string;
  readonly stopDueAt?: string;
}

/** A delay that is over already is left out: the gateway then starts the run at once, whatever it thinks of instants in the past. */
export function startTimes(command: CampaignRunCommand, policy: RunPolicy, now: Date): StartTimes {
  const delayedTo = Date.parse(command.issuedAt) + (durationMs(command.startDelay ?? 'PT0S') ?? 0);
  const isDelayed = command.startDelay !== undefined && delayedTo > now.getTime();
  const effect = isDelayed ? delayedTo : now.getTime();
  const after = (duration: string) => new Date(effect + (durationMs(duration) ?? 0)).toISOString();
  const effectAt = new Date(effect).toISOString();
  return {
    effectAt,
    inFlightUntil: after(policy.inFlightFor),
    ...(isDelayed ? { startAt: effectAt } : {}),
    ...(policy.stopAfter === undefined ? {} : { stopDueAt: after(policy.stopAfter) }),
  };
}

/** Before the PATCH that starts: wish, lease, the doubt that holds if this attempt dies, and the stop, armed. */
export function beginStart(
  row: RunItem,
  command: CampaignRunCommand,
  times: StartTimes,
  attempt: Attempt & { readonly stopStatus: string; readonly before?: { runCount?: number; lastRunAt?: string } },
): RunItem {
  const { stopDue: _stopDue, ...rest } = row;
  return {
    ...rest,
    wish: { action: 'start', issuedAt: command.issuedAt, id: command.id, ...startAtOf(times) },
    lease: leaseFor(attempt),
    inDoubt: { id: command.id, until: inFuture(attempt.now, inDoubtMs), ...beforeOf(attempt.before) },
    inFlightUntil: times.inFlightUntil,
    ...(times.stopDueAt === undefined
      ? {}
      : { stopDue: { at: times.stopDueAt, commandId: command.id, status: attempt.stopStatus } }),
    openState: 'IN_FLIGHT',
    openSince: times.effectAt,
  };
}

/** The gateway said yes to a start. */
export function startApplied(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const { lease: _lease, inDoubt: _inDoubt, ...rest } = row;
  return { ...rest, applied: { action: 'start', issuedAt: command.issuedAt, id: command.id, at: now.toISOString() } };
}

/** A start is proven not applied: nothing is in flight, so no stop is due. Its wish stays, and a newer one replaces it. */
export function startNotApplied(row: RunItem): RunItem {
  const { lease: _lease, inDoubt: _inDoubt, stopDue: _stopDue, inFlightUntil: _until, ...rest } = row;
  const { openState: _openState, openSince: _openSince, ...closed } = rest;
  return closed;
}

/** A start of unknown outcome: the lease ends, doubt and stop stay. */
export function startInDoubt(row: RunItem, now: Date): RunItem {
  const { lease: _lease, ...rest } = row;
  if (rest.inDoubt === undefined) return rest;
  return { ...rest, inDoubt: { ...rest.inDoubt, until: inFuture(now, inDoubtMs) } };
}

/** Before the PATCH that stops. */
export function beginStop(row: RunItem, command: CampaignRunCommand, attempt: Attempt): RunItem {
  return {
    ...row,
    wish: { action: 'stop', issuedAt: command.issuedAt, id: command.id },
    lease: leaseFor(attempt),
  };
}

/** The gateway said yes to a stop: nothing is in flight or in doubt any more. */
export function stopApplied(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  return {
    ...startNotApplied(row),
    applied: { action: 'stop', issuedAt: command.issuedAt, id: command.id, at: now.toISOString() },
  };
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

/** Reserves the guard item for a start. */
export function reserveGuard(
  guard: GuardItem | undefined,
  policy: RunPolicy,
  start: { readonly campaignRunId: string; readonly commandId: string; readonly times: StartTimes },
): GuardItem {
  return {
    ...(guard ?? { pk: ledgerKeys.guard(policy.guardName), kind: 'guard', name: policy.guardName }),
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

/** A binding that nobody has used yet. */
export function newBinding(run: string): BindingItem {
  return { pk: ledgerKeys.binding(run), kind: 'binding', run, used: [], added: [] };
}

/** The id that this command uses: the one that it has already, else the next that nobody used. */
export function idForCommand(
  binding: BindingItem,
  configured: readonly string[],
  commandId: string,
): { readonly campaignRunId: string; readonly isNew: boolean; readonly left: number } | undefined {
  const own = binding.used.find((use) => use.commandId === commandId);
  const used = new Set(binding.used.map((use) => use.campaignRunId));
  const free = [...configured, ...binding.added].filter((id) => !used.has(id));
  if (own !== undefined) return { campaignRunId: own.campaignRunId, isNew: false, left: free.length };
  const [next] = free;
  return next === undefined ? undefined : { campaignRunId: next, isNew: true, left: free.length - 1 };
}

/** Uses an id for a command. */
export function useId(binding: BindingItem, campaignRunId: string, commandId: string, now: Date): BindingItem {
  return { ...binding, used: [...binding.used, { campaignRunId, commandId, at: now.toISOString() }] };
}

/** Gives the id of a command back: it was never sent. */
export function returnId(binding: BindingItem, commandId: string): BindingItem {
  return { ...binding, used: binding.used.filter((use) => use.commandId !== commandId) };
}

function leaseFor({ owner, now }: Attempt): { owner: string; until: string } {
  return { owner, until: inFuture(now, leaseMs) };
}

function inFuture(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}

function startAtOf(times: StartTimes): { startAt?: string } {
  return times.startAt === undefined ? {} : { startAt: times.startAt };
}

function beforeOf<Before>(before: Before | undefined): { before?: Before } {
  return before === undefined ? {} : { before };
}
