import { type BindingItem, type GuardItem, ledgerKeys, type RunItem } from '../../shared/ledger/items.ts';
import type { Stored } from '../../shared/ledger/ledger.ts';
import { isUsed } from '../../shared/ledger/used-ids.ts';
import type { CampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import type { RecordResult } from '../_runtime/outcome.ts';
import { idForCommand, type IdForCommand, newBinding, ownUse } from './binding-rows.ts';
import { conclude, type Conclusion, superseded } from './conclude.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';
import { endedByName, endWithoutId, giveUp } from './end-start.ts';
import type { RunPolicy } from './run-policy.ts';
import { isNewer } from './run-rows.ts';
import { type AskedStart, repeatsApproved, type Start } from './start-reservation.ts';

/** Few ids left: a person binds new ones in time. */
export const lowBindingIds = 3;

/** Which run id a start is about; none where every id of its run has been used; or its end, where a newer stop by name makes it moot. */
export async function findStart(
  work: CommandWork,
  policy: RunPolicy,
  guard: Stored<GuardItem> | undefined,
  deps: UpdateDeps,
): Promise<{ readonly start: Start } | { readonly withoutId: AskedStart } | { readonly result: RecordResult }> {
  const name = policy.run?.name;
  const binding = name === undefined ? undefined : await deps.ledger.read<BindingItem>(ledgerKeys.binding(name));
  const asked: AskedStart = { work, deps, policy, binding, guard };
  const ended = endedByName(asked);
  if (ended !== undefined) return { result: await endAgain(asked, ended) };
  const id = (await endedId(asked)) ?? chooseId(work.command, policy, binding);
  if (id === undefined) {
    const moot = stoppedSince(asked);
    return moot === undefined ? { withoutId: asked } : { result: await endWithoutId(asked, moot) };
  }
  if (name !== undefined && id.isNew && id.left < lowBindingIds) deps.onRunningLow(name, id.left);
  const start = await withRow(asked, id);
  const moot = id.isNew && start.row?.appliedStart !== work.command.id ? stoppedSince(asked) : undefined;
  return moot === undefined ? { start } : { result: await giveUp(start, moot) };
}

async function withRow(asked: AskedStart, id: IdForCommand): Promise<Start> {
  const { campaignRunId } = id;
  const row = await asked.deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const name = asked.policy.run?.name;
  return { ...asked, id, row, campaignRunId, ...(name === undefined ? {} : { bindingName: name }) };
}

/** The attempt that ended it may have died before it gave everything back, or before it said so in the command's row. */
async function endAgain(asked: AskedStart, ended: Conclusion): Promise<RecordResult> {
  const { campaignRunId } = ended;
  if (campaignRunId === undefined) return conclude(asked.work, ended, asked.deps);
  return giveUp(await withRow(asked, { campaignRunId, isNew: false, left: Infinity }), ended);
}

/** How a start by name ends that has no id yet, where a newer stop by that name is recorded. */
function stoppedSince({ work: { command }, binding }: AskedStart): Conclusion | undefined {
  const stop = binding?.newestStop;
  if (command.run === undefined || !isNewer(stop, command)) return undefined;
  return superseded(undefined, `a newer stop of ${command.run} (${stop?.id}) is recorded`);
}

/** The id that the gateway refused to this start, where nobody has ordered a repeat since: it has ended, and takes no other. */
async function endedId({ work, binding, deps }: AskedStart): Promise<IdForCommand | undefined> {
  const { id } = work.command;
  const refused = binding?.used.findLast((use) => use.commandId === id && use.isRefused === true);
  if (refused === undefined) return undefined;
  const { campaignRunId } = refused;
  const row = await deps.ledger.read<RunItem>(ledgerKeys.run(campaignRunId));
  const hasEnded = row?.endedStart?.id === id && row.endedStart.repeats === repeatsApproved(work);
  return hasEnded ? { campaignRunId, isNew: false, left: Infinity } : undefined;
}

/** The id that a start is about; none where every id of its run has been used. Pure. */
export function chooseId(
  { campaignRunId, id }: Pick<CampaignRunCommand, 'campaignRunId' | 'id'>,
  policy: RunPolicy,
  binding: BindingItem | undefined,
): IdForCommand | undefined {
  const bound = policy.run?.pool;
  const plenty = Infinity;
  const own = binding && ownUse(binding, id);
  if (campaignRunId === undefined && own !== undefined && bound?.kind === 'repeat') {
    return { campaignRunId: own.campaignRunId, isNew: false, left: plenty };
  }
  if (campaignRunId !== undefined) {
    const isNew = bound?.kind === 'list' && (binding === undefined || !isUsed(binding, campaignRunId));
    return { campaignRunId, isNew, left: plenty };
  }
  if (bound?.kind === 'repeat') return { campaignRunId: bound.campaignRunId, isNew: true, left: plenty };
  return idForCommand(binding ?? newBinding(policy.run?.name ?? ''), bound?.campaignRunIds ?? [], id);
}
