/** What decisions are made of: changed rows, a wait, an outcome. Pure. */
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { RowChange, Stored } from '#shared/ledger/ledger.ts';
import {
  type CommandEnd,
  type CommandRow,
  endedRow,
  endedWithoutMessage,
  type FailedCall,
  newCommandRow,
  waitingRow,
} from '#shared/ledger/rows/command-row.ts';
import { newRunIdPool, type RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import {
  afterLease,
  identityOf,
  newRunRow,
  plusMs,
  type RunIdentity,
  type RunLease,
  type RunRow,
  runRowOf,
  type RunState,
  stateOf,
} from '#shared/ledger/rows/run-row.ts';
import { compareCommands } from '#shared/messages/campaign-run-command.ts';
import type { ParkReason, SkipReason } from '#shared/vocabulary/reason-codes.ts';
import type { Answered, CommandState, Decision, Effect, Moment, Policy } from './state.ts';

/** Rows change concurrently, and leases end, within seconds: a command comes back after this. */
export const shortWaitMs = 2000;

/** A changed row, beside the one that it was decided on. */
export function changed<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row): RowChange {
  return { before, after };
}

/** The effect was made. */
export function applied(
  campaignRunId: string | undefined,
  detail?: string,
  more: Partial<CommandEnd> = {},
): CommandEnd {
  return { outcome: { kind: 'applied', detail }, campaignRunId, ...more };
}

/** A later command for the same run replaced it. */
export function superseded(campaignRunId: string | undefined, detail: string): CommandEnd {
  return { outcome: { kind: 'superseded', detail }, campaignRunId };
}

/** A guard refused it. */
export function skipped(reason: SkipReason, detail: string, more: Partial<CommandEnd> = {}): CommandEnd {
  return { outcome: { kind: 'skipped', reason, detail }, ...more };
}

/** It needs a person. */
export function parked(reason: ParkReason, detail: string, more: Partial<CommandEnd> = {}): CommandEnd {
  return { outcome: { kind: 'parked', reason, detail }, ...more };
}

/** The command's row, also if it was never written. */
export function ownRow({ row, sent, now }: Moment): CommandRow {
  return row ?? newCommandRow(sent, now);
}

/** Everything that a decision looks at, at this instant. */
export function momentAt(state: CommandState, policy: Policy, now: Date): Moment {
  return { ...state, ...policy, now, runNow: runNowOf(state, now) };
}

function runNowOf({ run, campaignRunId, command }: CommandState, now: Date): RunRow | undefined {
  if (campaignRunId === undefined) return undefined;
  if (run === undefined) return newRunRow(campaignRunId, command.run);
  const state = stateOf(run);
  const settled = afterLease(state, now);
  return settled === state ? run : runRowOf(identityOf(run), settled);
}

/** How long this attempt holds a row: the platform ends it then. */
export function leaseOf({ delivery, now }: Moment): RunLease {
  return { owner: delivery.owner, until: plusMs(now.toISOString(), delivery.remainingMs) };
}

/** The change of a run's row to another state; `more` changes its identity. */
export function runChange(
  { run }: Moment,
  row: RunIdentity,
  next: RunState,
  more: Partial<RunIdentity> = {},
): RowChange {
  return changed<RunRow>(run, runRowOf({ ...identityOf(row), ...more }, next));
}

/** The wait of a command. */
export interface Wait {
  readonly delayMs: number;
  readonly why: string;
  readonly changes?: readonly RowChange[];
  readonly effect?: Extract<Effect, { do: 'send-stops' }>;
  /** The call that failed, if one did. */
  readonly failed?: FailedCall;
  /** The campaign was read and shows nothing: the next read comes later, as after a call that failed. */
  readonly isReadBack?: true;
  /** A start waits for the planned stop of the run before it. */
  readonly isBehindStop?: true;
  /** It only waits for a slot of the rate limiter. */
  readonly forSlot?: true;
  /** The start holds no run id any more. */
  readonly returnsId?: boolean;
}

/** The command comes back later. Its row says since when, why and when: pending work is never invisible. */
export function waits(moment: Moment, wait: Wait): Decision {
  const { delayMs, why, effect, forSlot } = wait;
  const { row, now } = moment;
  const base = ownRow(moment);
  const kept = wait.returnsId === true ? { ...base, campaignRunId: undefined } : base;
  const changes = withStopNoted(moment, withSettledLease(moment, wait.changes ?? []));
  const waited = { isBehindStop: isBehindOwnStop(moment, changes), ...wait };
  return {
    changes: [...changes, changed<CommandRow>(row, waitingRow(kept, waited, now))],
    effect,
    then: { kind: 'wait', delayMs, why, forSlot },
  };
}

/** A start waits for the planned stop of its own run until that is settled, also if the watcher has sent it. */
function isBehindOwnStop({ command, runNow }: Moment, changes: readonly RowChange[]): boolean {
  const row = changes.map(({ after }) => after).find((one) => one.kind === 'run') ?? runNow;
  return command.action === 'start' && row !== undefined && 'stop' in row && row.stop.plannedBy !== undefined;
}

/** A lease that ended is written down, also if the command only waits: the row says what is known. */
function withSettledLease(moment: Moment, changes: readonly RowChange[]): readonly RowChange[] {
  const { run, runNow: row } = moment;
  if (run === undefined || row === undefined || row === run) return changes;
  return changes.some(({ after }) => after.pk === row.pk) ? changes : [...changes, changed<RunRow>(run, row)];
}

/**
 * The first write of a stop by name, in any state and with any outcome, notes it in the pool. After
 * that no earlier start takes an id. The pool is written once, so the note joins a change that is
 * there already.
 */
export function withStopNoted({ command, pool }: Moment, changes: readonly RowChange[]): readonly RowChange[] {
  const { action, run, id, issuedAt } = command;
  if (action !== 'stop' || run === undefined) return changes;
  const latestStop = pool?.latestStop;
  if (latestStop !== undefined && compareCommands(latestStop, command) >= 0) return changes;
  const noted = (row: RunIdPoolRow): RunIdPoolRow => ({ ...row, latestStop: { id, issuedAt } });
  const isChanged = changes.some(({ after }) => after.kind === 'run-id-pool');
  if (!isChanged) return [...changes, changed<RunIdPoolRow>(pool, noted(pool ?? newRunIdPool(run)))];
  return changes.map((change) =>
    change.after.kind === 'run-id-pool' ? { ...change, after: noted(change.after) } : change,
  );
}

/** The command ends: its outcome and the rows that it settles are one write. */
export function ends(moment: Moment, end: CommandEnd, changes: readonly RowChange[] = []): Decision {
  const ended = endedRow(ownRow(moment), end, moment.now, moment.delivery);
  return { changes: [...changes, changed<CommandRow>(moment.row, ended)], then: { kind: 'outcome' } };
}

/** Another command ends, unless it has its outcome already. */
export function otherEnds({ others, now }: Moment, id: string | undefined, end: CommandEnd): readonly RowChange[] {
  const row = id === undefined ? undefined : others.get(id);
  if (row === undefined || row.outcome !== undefined) return [];
  return [changed<CommandRow>(row, endedWithoutMessage(row, end, now))];
}

/** An answer whose attempt does not hold the row any more changes nothing: the row decides at the next delivery. */
export function lateAnswer({ answer }: Answered): Decision {
  const text = answer.kind === 'applied' ? 'applied' : answer.why;
  const note = `an answer came after its attempt had lost the row, and changes nothing: ${text}`;
  return { changes: [], then: { kind: 'wait', delayMs: shortWaitMs, why: 'the run row changed concurrently' }, note };
}
