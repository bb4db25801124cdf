import { idempotencyKeyOf } from '#functions/register-datasets/upload-rows.ts';
import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { resolveApplied, type Resolved, resolveDismiss, resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import type { World } from './world/world.ts';

/** How a person decides: by what the gateway shows, or against it. */
export type Decision = 'look at the gateway' | 'repeat' | 'dismiss';

/** Decides about one parked row, as `autopilot parked resolve` does: the decision is written, then the kept message is sent. */
export async function decide(world: World, pick: number, decision: Decision): Promise<void> {
  const { items } = await world.ledger.listOpen('PARKED');
  const row = items[pick % Math.max(1, items.length)];
  if (row === undefined || !isParkable(row)) return;
  const resolved = decisionAbout(world, row, decision);
  if (!resolved.ok || (await world.ledger.write(row, resolved.row)) === undefined) return;
  const isDismissed = resolved.row.resolutions?.at(-1)?.decision === 'dismiss';
  const kept = row.parked;
  if (isDismissed || kept === undefined) return;
  if (kept.queue === 'uploads' || kept.queue === 'commands') world.queues[kept.queue].send(kept.message);
}

function decisionAbout(world: World, row: Stored<ParkableRow>, decision: Decision): Resolved<ParkableRow> {
  const who = { by: 'operator', reason: 'the model says so', at: new Date(world.time.nowMs()) };
  if (decision === 'dismiss') return resolveDismiss(row, who);
  if (decision === 'repeat') return resolveRepeat(row, who);
  if (row.kind === 'upload') {
    const found = world.gateway.datasets.find(({ key }) => key === idempotencyKeyOf(row.pk));
    if (found !== undefined) return resolveApplied(row, { ...who, datasetId: found.id });
  }
  const isRunning = row.kind === 'command' && world.gateway.status(row.campaignRunId ?? '') === 'running';
  if (isRunning && row.outcome?.reason === 'START_OUTCOME_UNKNOWN') return resolveDismiss(row, who);
  return resolveRepeat(row, who);
}

/** Says whether a row of the index is one that a person decides about. */
export function isParkable(row: Stored): row is Stored<ParkableRow> {
  return row.kind === 'upload' || row.kind === 'command' || row.kind === 'message' || row.kind === 'plan';
}
