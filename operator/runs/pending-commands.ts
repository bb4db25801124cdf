import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { runIdOf } from '../history/history.ts';

/** A command that was tried, or whose repeat a person ordered, and that has no outcome yet. */
export interface PendingCommand {
  readonly id: string;
  readonly action: CampaignRunCommand['action'];
  /** The configured run, if the command names one. */
  readonly run?: string;
  readonly campaignRunId?: string;
  /** The end of its first attempt, or the instant of the decision to repeat it. */
  readonly since: string;
  /** Attempts that ended without an outcome. */
  readonly tries: number;
  /** What the last attempt waits for. */
  readonly waitsFor?: string;
  /** Why the last request failed, in the gateway's words if it gave any. */
  readonly lastError?: string;
  readonly nextTryAt?: string;
  /** An earlier request of this start may have begun the run. */
  readonly mayHaveRun?: CommandRow['mayHaveRun'];
  readonly isObserved?: true;
}

/** Every command that was tried and has no outcome, the oldest first. A deferred start that was tried after its blackout is one of them. */
export async function listPending(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly PendingCommand[]> {
  const [pending, deferred] = await Promise.all([
    listOpenOfKind(ledger, 'PENDING', 'command'),
    listOpenOfKind(ledger, 'DEFERRED', 'command'),
  ]);
  return [...pending, ...deferred.filter((row) => isPending(row))]
    .map((row) => pendingCommand(row))
    .toSorted((a, b) => a.since.localeCompare(b.since));
}

/** Whether a command was tried, or is ordered again, and has no outcome; a start that a blackout defers is not pending until it is tried. */
export function isPending({ outcome, openState, deferred, attempt }: CommandRow): boolean {
  if (outcome !== undefined) return false;
  return deferred === undefined || openState === 'PENDING' || attempt !== undefined;
}

/** What is known about a command that has no outcome. Pure. */
export function pendingCommand(row: CommandRow): PendingCommand {
  const { id, command, attempt, mayHaveRun, openSince } = row;
  return {
    id,
    action: command.action,
    run: command.run,
    campaignRunId: runIdOf(row),
    since: attempt?.since ?? openSince ?? command.issuedAt,
    tries: attempt?.tries ?? 0,
    waitsFor:
      attempt?.waitsFor ?? (isOrdered(row) ? 'its repeat is ordered, and its message is on its way' : undefined),
    lastError: attempt?.lastError,
    nextTryAt: attempt?.nextTryAt,
    mayHaveRun,
    isObserved: isObserved(row) ? true : undefined,
  };
}

function isOrdered({ resolutions }: CommandRow): boolean {
  return resolutions?.at(-1)?.decision === 'repeat';
}
