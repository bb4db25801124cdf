import { type CommandItem, expiryOf, type GuardItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Defer, Judgement } from '../../shared/guards/start-question.ts';
import type { Generation } from '../../shared/messages/campaign-run-command.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { done, later } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import { type Conclusion, superseded } from './conclude.ts';
import type { CommandResult } from './deps.ts';
import { deferGuard, returnReservation } from './guard-rows.ts';
import { isNewer } from './run-rows.ts';
import { fence, giveIdBack, giveUp, guardChanged, type Start } from './start-reservation.ts';

/**
 * Puts a start off to the end of a blackout: its command waits in the ledger, the message ends. What an earlier attempt holds goes back. Of
 * several starts of one run that are put off the newest is started, whoever comes first.
 */
export async function deferStart(
  start: Start,
  { until, blackout, detail, verdicts }: Extract<Judgement, Defer>,
): Promise<CommandResult> {
  const { work, deps, policy, guard } = start;
  const { asked, command, context } = work;
  const moot = displacedBy(start);
  if (moot !== undefined) return giveUp(start, moot);

  const isHolding = guard !== undefined && returnReservation(guard, command.id) !== guard;
  const wait = isHolding ? await fence(start, (row) => row) : undefined;
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  const noted = deferGuard(guard, policy.guardName, deferredRun(start), command);
  // Written each time: whoever read the guard item before can reserve it no more.
  if ((await deps.ledger.write<GuardItem>(guard, noted)) === undefined) {
    return later(shortWaitMs, guardChanged);
  }
  if (!(await giveIdBack(start))) return later(shortWaitMs, 'the ids of this run changed under us');

  const item: CommandItem = {
    pk: ledgerKeys.command(asked.id),
    kind: 'command',
    id: asked.id,
    command: asked,
    deferred: { until, blackout },
    verdicts,
    openState: 'DEFERRED',
    openSince: until,
    expiresAt: expiryOf('command', new Date(until)),
    ...(work.row?.resolutions === undefined ? {} : { resolutions: work.row.resolutions }),
  };
  if ((await deps.ledger.write<CommandItem>(work.row, item)) === undefined) {
    return later(shortWaitMs, 'the row of this command changed under us');
  }
  context.log.info(logEvents.startDeferred, detail, { commandId: asked.id, until, blackout });
  return done();
}

/** How a start ends that was put off, where a newer one of its run was put off too; `undefined`: it is the newest. */
export function displacedBy(start: Start): Conclusion | undefined {
  const newest = newestDeferred(start);
  if (newest === undefined || !isNewer(newest, start.work.command)) return undefined;
  return superseded(undefined, `a newer start of this run (${newest.id}) was put off by a blackout as well`);
}

function newestDeferred(start: Start): Generation | undefined {
  return start.guard?.deferred?.[deferredRun(start)];
}

/** By its name, so that it is the same run whichever id it will use. */
function deferredRun({ policy, campaignRunId }: Start): string {
  return policy.run?.name ?? campaignRunId;
}
