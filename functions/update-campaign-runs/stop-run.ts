import { type BindingItem, ledgerKeys, type Reservation, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { later } from '../_runtime/outcome.ts';
import { shortWaitMs, type Wait, waitBeforeStop } from './before-call.ts';
import { idsToStop, newBinding, noteStop, withoutLive } from './binding-rows.ts';
import { applied, conclude, type Conclusion, parked, skipped, superseded } from './conclude.ts';
import { type CommandResult, type CommandWork, laterAfter, type UpdateDeps } from './deps.ts';
import { doubtMs, sureMs } from './doubts.ts';
import { idsChanged } from './end-start.ts';
import { changeGuard } from './change-guard.ts';
import { freeGuard } from './guard-rows.ts';
import { runNamed, unknownName } from './run-policy.ts';
import { beginStop, isNewer, isStopped, leaseRemainingMs, newRun, stopNoted } from './run-rows.ts';
import { sendStop } from './send-stop.ts';
import { guardChanged } from './start-reservation.ts';

/** How one run of a stop ended. */
export type Stopped =
  | { readonly kind: 'stopped'; readonly campaignRunId: string; readonly detail?: string }
  | { readonly kind: 'superseded'; readonly campaignRunId: string; readonly detail: string }
  | { readonly kind: 'refused'; readonly conclusion: Conclusion }
  | { readonly kind: 'later'; readonly result: CommandResult };

/** Stops a run: no guard is asked, and it repeats until the gateway says yes. By name it stops every run that is live under that name. */
export function stopRun(work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const { campaignRunId, run = '' } = work.command;
  return campaignRunId === undefined ? stopNamed(run, work, deps) : stopAll([campaignRunId], work, deps);
}

async function stopNamed(name: string, work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const found = await runsNamed(name, work, deps);
  if (found === 'lost') return later(shortWaitMs, idsChanged);
  return await ('outcome' in found ? conclude(work, found, deps) : stopAll(found, work, deps));
}

/** The ids that a stop is about, or its end where there are none; `lost`: another write of the run's binding was first. */
export function runsToStop(work: CommandWork, deps: UpdateDeps): RunsToStop | Promise<RunsToStop> {
  const { campaignRunId, run = '' } = work.command;
  return campaignRunId === undefined ? runsNamed(run, work, deps) : [campaignRunId];
}

type RunsToStop = readonly string[] | Conclusion | 'lost';

async function runsNamed(name: string, work: CommandWork, deps: UpdateDeps): Promise<RunsToStop> {
  const run = runNamed(name, deps.config);
  const binding = await recordStop(name, run !== undefined, work, deps);
  if (binding === 'lost') return 'lost';
  if (binding === undefined) return parked('CONFIG', unknownName(work.command, deps.config));

  const ids = idsToStop(binding, run);
  if (ids.length > 0) return ids;
  const since = deps.config.mode === 'observe' ? 'would have been used since the stage observes' : 'has been used yet';
  return skipped('NOTHING_TO_STOP', `no id of ${name} ${since}`);
}

/** Notes the stop at the run's name. Absent: nobody knows such a name. */
async function recordStop(
  name: string,
  isConfigured: boolean,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<BindingItem | 'lost' | undefined> {
  const { id, issuedAt } = work.command;
  const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  if (binding === undefined && !isConfigured) return undefined;
  if (binding?.newestStop?.id === id || isNewer(binding?.newestStop, { id, issuedAt })) return binding;
  const noted = noteStop(binding ?? newBinding(name), { id, issuedAt });
  return (await deps.ledger.write<BindingItem>(binding, noted)) ?? 'lost';
}

/** Stops each, the newest first; one that is refused or has to wait keeps none of the others running. */
async function stopAll(campaignRunIds: readonly string[], work: CommandWork, deps: UpdateDeps): Promise<CommandResult> {
  const ends: Stopped[] = [];
  for (const campaignRunId of campaignRunIds) ends.push(await stopOne(campaignRunId, work, deps));
  return soonest(ends) ?? (await conclude(work, conclusionOf(ends), deps));
}

function conclusionOf(ends: readonly Stopped[]): Conclusion {
  const refused = ends.find((end) => end.kind === 'refused');
  if (refused !== undefined) return refused.conclusion;
  const stopped = ends.find((end) => end.kind === 'stopped');
  if (stopped !== undefined) {
    const { campaignRunId, detail = `run ${campaignRunId} stopped` } = stopped;
    return applied(campaignRunId, {}, detail);
  }
  const moot = ends.find((end) => end.kind === 'superseded');
  return superseded(moot?.campaignRunId, moot?.detail ?? 'a newer command is recorded');
}

function soonest(ends: readonly Stopped[]): CommandResult | undefined {
  let first: Extract<CommandResult, { kind: 'later' }> | undefined;
  for (const end of ends) {
    if (end.kind !== 'later' || end.result.kind !== 'later') continue;
    if (first === undefined || end.result.delayMs < first.delayMs) first = end.result;
  }
  return first;
}

async function stopOne(campaignRunId: string, work: CommandWork, deps: UpdateDeps): Promise<Stopped> {
  const { command, context } = work;
  const stored = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const row = stored ?? newRun(campaignRunId, command.run);
  if (isStopped(row, command)) return closeStopped(row, work, deps);
  const held = mootOrHeld(row, work);
  if (held !== undefined) return held;
  const doubt = waitForStart(row, work);
  if (doubt !== undefined) return noteAndWait(stored, row, doubt, work, deps);
  const gateMs = deps.gate.waitMs(context.remainingMs);
  const wait = waitBeforeStop(typeof gateMs === 'number' ? gateMs : await gateMs, work, deps);
  if (wait !== undefined) return noteAndWait(stored, row, wait, work, deps);

  const slot = deps.rateLimiter.take('runs', context.remainingMs());
  if (slot !== undefined) await slot;
  const attempt = { owner: context.attemptId, now: context.now(), remainingMs: context.remainingMs() };
  const sending = await deps.ledger.write<RunItem>(stored, beginStop(row, command, attempt));
  if (sending === undefined) return waiting(shortWaitMs, 'the row of this run changed under us');
  const end = await sendStop(sending, row, work, deps);
  return end.kind === 'stopped' ? closeStopped(row, work, deps, end.detail) : end;
}

/** What ends a stop before anybody is asked: it is superseded, or another attempt is at its run. */
function mootOrHeld(row: RunItem, { command, context }: CommandWork): Stopped | undefined {
  const { campaignRunId } = row;
  if (isNewer(row.wish, command)) {
    return { kind: 'superseded', campaignRunId, detail: `a newer ${row.wish?.action} (${row.wish?.id}) is recorded` };
  }
  if (command.origin.kind === 'watcher' && row.stopDue === undefined) {
    // It was due when it was sent; another stop was first.
    return { kind: 'superseded', campaignRunId, detail: `stopped already (${row.applied?.id})` };
  }
  const leaseMs = leaseRemainingMs(row, { owner: context.attemptId, now: context.now() });
  return leaseMs > 0 ? waiting(Math.min(leaseMs, shortWaitMs), 'another attempt holds this run') : undefined;
}

/**
 * A start that was never answered may still land: the stop goes out after it can land no more, and where that goes by clocks that may differ,
 * once more after it can for sure.
 */
function waitForStart({ applied: done, inDoubt }: RunItem, { command, context }: CommandWork): Wait | undefined {
  const now = context.now();
  const isSentOnce = done?.id === command.id;
  const delayMs = isSentOnce ? sureMs(inDoubt, now) : doubtMs(inDoubt, now);
  if (delayMs === 0) return undefined;
  const why = isSentOnce
    ? 'stopped, and an earlier start without an answer may still land by another clock: it is stopped once more after that'
    : 'an earlier start of this run is in doubt: the stop goes out after it can land no more';
  return { delayMs, why };
}

/** The wish is recorded at once, so that no start slips in while the stop waits. */
async function noteAndWait(
  stored: Stored<RunItem> | undefined,
  row: RunItem,
  { delayMs, why }: Wait,
  work: CommandWork,
  deps: UpdateDeps,
): Promise<Stopped> {
  if (row.wish?.id === work.command.id) return waiting(delayMs, why);
  const noted = await deps.ledger.write<RunItem>(stored, stopNoted(row, work.command));
  return noted === undefined ? waiting(shortWaitMs, 'the row of this run changed under us') : waiting(delayMs, why);
}

/** A stopped run frees its campaign and is live no more. */
function closeStopped(
  row: RunItem,
  work: Pick<CommandWork, 'command'>,
  deps: UpdateDeps,
  detail?: string,
): Stopped | Promise<Stopped> {
  const { campaignRunId, guardName, run } = row;
  const end: Stopped = { kind: 'stopped', campaignRunId, ...(detail === undefined ? {} : { detail }) };
  return guardName === undefined && run === undefined ? end : afterFreed(row, end, work, deps);
}

/** Losing the race for the ids is harmless: the next stop by name asks once more. */
async function afterFreed(
  { campaignRunId, guardName, run }: RunItem,
  end: Stopped,
  { command }: Pick<CommandWork, 'command'>,
  deps: UpdateDeps,
): Promise<Stopped> {
  if (guardName !== undefined) {
    // A newer start of the same run that has reserved it meanwhile is none of this stop's.
    const isOver = ({ issuedAt, commandId, ...one }: Reservation) =>
      one.campaignRunId === campaignRunId && (issuedAt === undefined || isNewer(command, { issuedAt, id: commandId }));
    const isFree = await changeGuard(guardName, deps.ledger, (guard) => guard && freeGuard(guard, isOver));
    if (!isFree) return waiting(shortWaitMs, guardChanged);
  }
  if (run !== undefined) {
    const binding = await deps.ledger.read<BindingItem>(ledgerKeys.binding(run));
    if (binding?.live?.includes(campaignRunId) === true) {
      await deps.ledger.write<BindingItem>(binding, withoutLive(binding, campaignRunId));
    }
  }
  return end;
}

function waiting(delayMs: number, why: string): Stopped {
  return { kind: 'later', result: laterAfter(delayMs, why, undefined) };
}
