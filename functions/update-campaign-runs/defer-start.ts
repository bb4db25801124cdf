import { type CommandItem, expiryOf, type GuardItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Defer, Judgement } from '../../shared/guards/start-question.ts';
import type { Generation } from '../../shared/messages/campaign-run-command.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { done, later } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import { type Conclusion, superseded } from './conclude.ts';
import type { CommandResult } from './deps.ts';
import { endWithoutId, fence, giveIdBack, giveUp, idsChanged } from './end-start.ts';
import { deferGuard, returnReservation } from './guard-rows.ts';
import { isNewer } from './run-rows.ts';
import { type AskedStart, guardChanged, type Start } from './start-reservation.ts';

/** The verdict of a blackout that puts off. */
type Deferral = Extract<Judgement, Defer>;

/**
 * Puts a start off to the end of a blackout: its command waits in the ledger, the message ends. What an earlier attempt holds goes back. Of
 * several starts of one run that are put off the newest is started, whoever comes first.
 */
export async function deferStart(start: Start, judged: Deferral): Promise<CommandResult> {
  const { work, guard } = start;
  const moot = displacedBy(start);
  if (moot !== undefined) return giveUp(start, moot);

  const returned = guard && returnReservation(guard, work.command.id);
  const wait = returned === guard ? undefined : await fence(start, (row) => row);
  if (wait !== undefined) return later(wait.delayMs, wait.why);
  if (!(await noteDeferral(start, returned))) return later(shortWaitMs, guardChanged);
  if (!(await giveIdBack(start))) return later(shortWaitMs, idsChanged);
  return putOff(start, judged);
}

/** The same of a start that no run id is left for: there may be one by then. */
export async function deferWithoutId(asked: AskedStart, judged: Deferral): Promise<CommandResult> {
  const moot = displacedBy(asked);
  if (moot !== undefined) return endWithoutId(asked, moot);
  return (await noteDeferral(asked, asked.guard)) ? putOff(asked, judged) : later(shortWaitMs, guardChanged);
}

/** Notes the newest start of its run that was put off. Written each time: whoever read the guard item before can reserve it no more. */
async function noteDeferral(asked: AskedStart, guard: GuardItem | undefined): Promise<boolean> {
  const { work, deps, policy } = asked;
  const noted = deferGuard(guard, policy.guards.target, deferredRun(asked), work.command);
  return (await deps.ledger.write<GuardItem>(asked.guard, noted)) !== undefined;
}

async function putOff(
  { work, deps }: AskedStart,
  { until, blackout, detail, verdicts }: Deferral,
): Promise<CommandResult> {
  const { asked, context } = work;
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
export function displacedBy(asked: AskedStart): Conclusion | undefined {
  const newest = newestDeferred(asked);
  if (newest === undefined || !isNewer(newest, asked.work.command)) return undefined;
  return superseded(undefined, `a newer start of this run (${newest.id}) was put off by a blackout as well`);
}

function newestDeferred(asked: AskedStart): Generation | undefined {
  return asked.guard?.deferred?.[deferredRun(asked)];
}

/** By its name, so that it is the same run whichever id it will use. */
function deferredRun({ policy, work }: AskedStart): string {
  return policy.run?.name ?? work.command.campaignRunId ?? '';
}
