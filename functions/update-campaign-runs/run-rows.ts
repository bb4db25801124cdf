import { type AwaitedConfirmation, ledgerKeys, type RecordedVerdict, type RunItem } from '../../shared/ledger/items.ts';
import {
  type CampaignRunCommand,
  compareGenerations,
  type Generation,
} from '../../shared/messages/campaign-run-command.ts';
import { doubtFrom, longerDoubt } from './doubts.ts';
import type { RunPolicy } from './run-policy.ts';
import type { StartTimes } from './start-times.ts';

/** Pure transitions of the rows of runs: what a row becomes. Whether it may become that is the conditional write's affair. */

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

/** A stop is recorded and neither done nor given up: a start waits for it. */
export function hasPendingStop(row: RunItem): boolean {
  const { wish, refusedStop } = row;
  return wish?.action === 'stop' && !isStopped(row, wish) && refusedStop !== wish.id;
}

/** The gateway said yes to this stop, and nothing that was sent before it can land after it. */
export function isStopped({ applied, inDoubt }: RunItem, command: { readonly id: string }): boolean {
  return applied?.id === command.id && inDoubt === undefined;
}

/** Whether the gateway may have been asked to start this run: then its id is used up. */
export function mayHaveBeenStarted(row: RunItem | undefined): boolean {
  return row?.applied !== undefined || row?.inDoubt !== undefined;
}

/** Before the PATCH that starts: wish, lease, the doubt that holds if this attempt dies, and the stop, armed. */
export function beginStart(
  row: RunItem,
  command: CampaignRunCommand,
  times: StartTimes,
  attempt: Attempt & {
    readonly policy: Pick<RunPolicy, 'guards'>;
    readonly stopStatus: string;
    readonly doubt: Omit<NonNullable<RunItem['inDoubt']>, 'id' | 'until'>;
    readonly verdicts: readonly RecordedVerdict[];
    readonly confirm: AwaitedConfirmation | undefined;
  },
): RunItem {
  const { issuedAt, id } = command;
  const { confirm: _confirm, ...rest } = row;
  return {
    ...rest,
    judged: { id, verdicts: attempt.verdicts },
    ...(attempt.confirm === undefined ? {} : { confirm: attempt.confirm }),
    guardName: attempt.policy.guards.target,
    wish: { action: 'start', issuedAt, id, ...(times.startAt === undefined ? {} : { startAt: times.startAt }) },
    lease: leaseFor(attempt),
    inDoubt: { ...attempt.doubt, ...doubtFrom(id, attempt.now) },
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

/**
 * A start of unknown outcome: the lease ends, the doubt counts from now.
 * @param requestId - only now is it worth its place: nearly every start is answered, and its row fits into one unit of a write without it
 */
export function startUnknown(row: RunItem, command: CampaignRunCommand, now: Date, requestId: string): RunItem {
  const repeats = row.inDoubt?.repeats ?? 0;
  return { ...released(row), inDoubt: { repeats, ...row.inDoubt, ...doubtFrom(command.id, now), requestId } };
}

/** A stop that has to wait: from here on no older start is sent. */
export function stopNoted(row: RunItem, command: CampaignRunCommand): RunItem {
  return { ...row, wish: { action: 'stop', issuedAt: command.issuedAt, id: command.id } };
}

/** Before the PATCH that stops, with the doubt that holds if this attempt dies. */
export function beginStop(row: RunItem, command: CampaignRunCommand, attempt: Attempt): RunItem {
  const stopInDoubt = longerDoubt(row.stopInDoubt, doubtFrom(command.id, attempt.now));
  return { ...stopNoted(row, command), lease: leaseFor(attempt), stopInDoubt };
}

/** The gateway said yes to a stop, and nothing is in flight any more. */
export function stopApplied(row: RunItem, before: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const {
    lease: _lease,
    stopInDoubt: _stopInDoubt,
    refusals: _refusals,
    inDoubt: _inDoubt,
    stopDue: _stopDue,
    inFlightUntil: _until,
    openState: _openState,
    openSince: _openSince,
    ...closed
  } = row;
  return { ...closed, ...stopDoubtOf(before), applied: appliedStop(command, now) };
}

/** The gateway said yes to a stop, but a start that was sent before it may still land: all of it stays open until the stop is sent again. */
export function stoppedOnce(row: RunItem, before: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  const { refusals: _refusals, ...rest } = stopAnswered(row, before);
  return { ...rest, applied: appliedStop(command, now) };
}

/** A stop got its answer. Only an earlier try of it may still be on its way. */
export function stopAnswered(row: RunItem, before: RunItem): RunItem {
  const { lease: _lease, stopInDoubt: _stopInDoubt, ...rest } = row;
  return { ...rest, ...stopDoubtOf(before) };
}

function stopDoubtOf({ stopInDoubt }: RunItem): Pick<RunItem, 'stopInDoubt'> {
  return stopInDoubt === undefined ? {} : { stopInDoubt };
}

function appliedStop({ issuedAt, id }: CampaignRunCommand, now: Date): NonNullable<RunItem['applied']> {
  return { action: 'stop', issuedAt, id, at: now.toISOString() };
}

/** A stop ended without being applied: no start waits for it. What is armed stays armed. */
export function stopRefused(row: RunItem, command: CampaignRunCommand): RunItem {
  const { refusals: _refusals, ...rest } = row;
  return { ...rest, refusedStop: command.id };
}

/** A stop of unknown outcome: the lease ends, the doubt counts from now. */
export function stopUnknown(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  return { ...released(row), stopInDoubt: longerDoubt(row.stopInDoubt, doubtFrom(command.id, now)) };
}

/** Before the PATCH of name and preserve, with the doubt that holds if this attempt dies. */
export function beginUpdate(row: RunItem, command: CampaignRunCommand, attempt: Attempt): RunItem {
  return { ...row, lease: leaseFor(attempt), updateInDoubt: doubtFrom(command.id, attempt.now) };
}

/** An update got its answer. Only an earlier try of it may still be on its way. */
export function updateAnswered(row: RunItem, { updateInDoubt }: RunItem): RunItem {
  const { updateInDoubt: _updateInDoubt, ...rest } = released(row);
  return updateInDoubt === undefined ? rest : { ...rest, updateInDoubt };
}

/** The gateway said yes to an update. */
export function updateApplied(row: RunItem, before: RunItem, command: CampaignRunCommand): RunItem {
  return { ...updateAnswered(row, before), updated: { issuedAt: command.issuedAt, id: command.id } };
}

/** An update of unknown outcome: the lease ends, the doubt counts from now. */
export function updateUnknown(row: RunItem, command: CampaignRunCommand, now: Date): RunItem {
  return { ...released(row), updateInDoubt: doubtFrom(command.id, now) };
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

function leaseFor({ owner, now, remainingMs }: Attempt): { owner: string; until: string } {
  return { owner, until: new Date(now.getTime() + remainingMs).toISOString() };
}
