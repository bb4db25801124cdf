import type { ResolvedRun } from '../../shared/config/resolved-automation.ts';
import { type BindingItem, type BindingUse, type EndedStart, ledgerKeys } from '../../shared/ledger/items.ts';
import { isUsed } from '../../shared/ledger/used-ids.ts';
import type { Generation } from '../../shared/messages/campaign-run-command.ts';

/** Pure transitions of a binding: which ids of a configured run are used, left and live. */

/** Uses kept in full; older ones keep only their id. */
const fullUses = 200;

/** Ends kept: one is asked for while its command's row does not tell it, for the seconds of an attempt or two. */
const keptEnds = 5;

/** A binding that nobody has used yet. */
export function newBinding(run: string): BindingItem {
  return { pk: ledgerKeys.binding(run), kind: 'binding', run, used: [], added: [] };
}

/** Which id a start is about. */
export interface IdForCommand {
  readonly campaignRunId: string;
  /** Not taken for this command yet. */
  readonly isNew: boolean;
  /** Unused ids that remain after this one. */
  readonly left: number;
}

/** The id that this command uses: the one that it has already, else the next that nobody used. */
export function idForCommand(
  binding: BindingItem,
  configured: readonly string[],
  commandId: string,
): IdForCommand | undefined {
  const own = ownUse(binding, commandId);
  const free = freeIds(binding, configured);
  if (own !== undefined) return { campaignRunId: own.campaignRunId, isNew: false, left: free.length };
  const [next] = free;
  return next === undefined ? undefined : { campaignRunId: next, isNew: true, left: free.length - 1 };
}

/** The id that a command has, if any; one that was refused to it is its own no more. */
export function ownUse(binding: BindingItem, commandId: string): BindingUse | undefined {
  return binding.used.find((use) => use.commandId === commandId && use.isRefused !== true);
}

/** Whether a command has an id, and it is not this one. */
export function usesOtherId(binding: BindingItem, campaignRunId: string, commandId: string): boolean {
  const own = ownUse(binding, commandId);
  return own !== undefined && own.campaignRunId !== campaignRunId;
}

/** The ids that no start has used, in the order in which starts use them; one that is configured and was added too counts once. */
export function freeIds(binding: BindingItem, configured: readonly string[]): readonly string[] {
  return [...new Set([...configured, ...binding.added])].filter((id) => !isUsed(binding, id));
}

/** Uses an id for a command, and counts it as live: from here on a stop by name reaches it. */
export function useId(binding: BindingItem, campaignRunId: string, commandId: string, now: Date): BindingItem {
  const used = isUsed(binding, campaignRunId)
    ? binding.used
    : [...binding.used, { campaignRunId, commandId, at: now.toISOString() }];
  return withUses(withLive(binding, campaignRunId), used);
}

/** Counts a run as live without using an id up: the same run is started again each time. */
export function withLive(binding: BindingItem, campaignRunId: string): BindingItem {
  const live = (binding.live ?? []).filter((id) => id !== campaignRunId);
  return { ...binding, live: [...live, campaignRunId] };
}

/** A stopped run is live no more. */
export function withoutLive(binding: BindingItem, campaignRunId: string): BindingItem {
  return { ...binding, live: (binding.live ?? []).filter((id) => id !== campaignRunId) };
}

/** Gives the id of a command back: the gateway was never asked to start it. The same binding where the command does not have it. */
export function returnId(binding: BindingItem, campaignRunId: string, commandId: string): BindingItem {
  if (ownUse(binding, commandId)?.campaignRunId !== campaignRunId) return binding;
  const used = binding.used.filter((use) => use.commandId !== commandId || use.isRefused === true);
  return { ...withoutLive(binding, campaignRunId), used };
}

/** The gateway refused to start the id of a command: it stays used, and a repeat of the command takes another. The same binding where the command does not have it. */
export function refuseId(binding: BindingItem, campaignRunId: string, commandId: string): BindingItem {
  if (ownUse(binding, commandId)?.campaignRunId !== campaignRunId) return binding;
  const used = binding.used.map((use): BindingUse => (use.commandId === commandId ? { ...use, isRefused: true } : use));
  return { ...withoutLive(binding, campaignRunId), used };
}

/**
 * The ids that a stop by the run's name is about, the newest first: all that are live, else the one used last, else the one that is started
 * again and again.
 */
export function idsToStop(binding: BindingItem, run: Pick<ResolvedRun, 'pool'> | undefined): readonly string[] {
  const live = binding.live ?? [];
  if (live.length > 0) return live.toReversed();
  const last = binding.used.at(-1);
  if (last !== undefined) return [last.campaignRunId];
  return run?.pool.kind === 'repeat' ? [run.pool.campaignRunId] : [];
}

/** Notes a stop at the run's name, so that an older start that comes later takes no id. */
export function noteStop(binding: BindingItem, { id, issuedAt }: Generation): BindingItem {
  return { ...binding, newestStop: { id, issuedAt } };
}

/** Notes how a start by the run's name ended without being sent, so that no other attempt at it takes an id. */
export function noteEndedStart(binding: BindingItem, ended: EndedStart): BindingItem {
  const others = (binding.ended ?? []).filter(({ id }) => id !== ended.id);
  return { ...binding, ended: [...others, ended].slice(-keptEnds) };
}

function withUses(binding: BindingItem, used: readonly BindingUse[]): BindingItem {
  if (used.length <= fullUses) return { ...binding, used };
  const older = used.slice(0, -fullUses).map((use) => use.campaignRunId);
  return { ...binding, used: used.slice(-fullUses), usedBefore: [...(binding.usedBefore ?? []), ...older] };
}
