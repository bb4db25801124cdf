import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { afterLease, type SentStart, stateOf } from '#shared/ledger/rows/run-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { RunInFlight } from '#shared/ledger/open-rows.ts';

/** What `status` tells of work in flight as fields, beside its sentence. Pure. */

/** A request that left and got no answer. */
interface RequestInDoubt {
  readonly since: string;
  /** `x-request-id`; absent if the worker died before it was kept. */
  readonly requestId?: string;
  readonly commandId: string;
}

/** A run in flight. */
export interface RunFacts {
  readonly run?: string;
  readonly startCommandId: string;
  /** From then on no start is held back by it, if nothing stops it before. */
  readonly inFlightUntil: string;
  /** The sign that its campaign is to show; `missing`: it did not show it by then. */
  readonly confirm?: { readonly state: ConfirmState; readonly until: string };
  /** Its planned stop was due, and is not applied. */
  readonly isOverdue: boolean;
  /** The request of its start. */
  readonly inDoubt?: RequestInDoubt;
  /** The request of its stop. */
  readonly stopInDoubt?: Omit<RequestInDoubt, 'requestId'>;
}

/** How far the sign of a start is. */
export type ConfirmState = 'awaited' | 'confirmed' | 'missing';

/** The fields of a run in flight; `confirmed`: how far the sign of its start is, if one is awaited. */
export function runFacts({ row, start }: RunInFlight, confirmed: ConfirmState | undefined, now: Date): RunFacts {
  const state = afterLease(stateOf(row), now);
  const unproven = 'before' in state ? state.before : state;
  const { plannedStop, confirm } = start;
  return {
    run: row.run,
    startCommandId: start.startId,
    inFlightUntil: start.until,
    confirm: confirm && confirmed && { state: confirmed, until: confirm.until },
    isOverdue: plannedStop !== undefined && Date.parse(plannedStop.at) <= now.getTime(),
    inDoubt: unproven.state === 'start-unknown' ? doubtOf(start, unproven.requestId) : undefined,
    stopInDoubt: state.state === 'stop-unknown' ? { since: state.stop.issuedAt, commandId: state.stop.id } : undefined,
  };
}

function doubtOf({ firstSentAt, startId }: SentStart, requestId: string | undefined): RequestInDoubt {
  return { since: firstSentAt, requestId, commandId: startId };
}

/** A start that waits for the end of a blackout. */
export interface DeferredFacts {
  readonly run?: string;
  readonly commandId: string;
  readonly askedAt: string;
  readonly deferred: NonNullable<CommandRow['deferred']>;
}

/** The fields of a start that waits for the end of a blackout; none for other work. */
export function deferredFacts(row: Stored): DeferredFacts | undefined {
  if (row.kind !== 'command' || row.deferred === undefined) return undefined;
  const { run, issuedAt } = row.command;
  return { run, commandId: row.id, askedAt: issuedAt, deferred: row.deferred };
}
