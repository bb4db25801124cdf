/**
 * The row of one campaign run: one explicit state machine (docs/reference/ledger.md has its table). Each state has exactly the fields that it needs.
 * Instants are RFC 3339 in UTC. Pure.
 */
import type { CampaignReading } from './campaign-row.ts';
import type { LedgerRowBase } from './ledger-row.ts';
import { ledgerKeys } from './row-keys.ts';
import type { CommandOrder } from '../../messages/campaign-run-command.ts';

/** The latest start or stop that the row accepted; a planned stop never changes it. */
export interface LatestCommand extends CommandOrder {
  readonly action: 'start' | 'stop';
}

/** An attempt that holds a row; the platform ends the attempt at `until`. */
export interface RunLease {
  readonly owner: string;
  readonly until: string;
}

/** The stop that a start plans. */
export interface PlannedStop {
  readonly at: string;
  /** The status that stops, as configured when the start was sent: no later configuration can orphan the stop. */
  readonly word: string;
}

/** A campaign as it read at an instant. */
export type ReadingAt = CampaignReading & {
  /** Just before it was read. */
  readonly at: string;
};

/** The sign that shows a start, as configured when it was sent. */
export interface ConfirmRule {
  readonly by: 'runCount' | 'lastRunAt';
  /** A sign that has not come by then is missing. */
  readonly until: string;
}

/** A start whose PATCH left, or may have left. */
export interface SentStart {
  /** Id of the start command. */
  readonly startId: string;
  readonly issuedAt: string;
  /** When the first request may have left: the run may be running since then. */
  readonly firstSentAt: string;
  /** When the run is to start: at once, or at `startAt`. */
  readonly effectAt: string;
  /** Sent to the gateway if the start is delayed. */
  readonly startAt?: string;
  /** `effectAt` plus `stopAfter`, or plus `longestRun`. */
  readonly until: string;
  readonly plannedStop?: PlannedStop;
  /**
   * The guard row that holds its reservation: a stop frees it, also if the configuration has
   * changed by then.
   */
  readonly guardName: string;
  readonly campaignId?: string;
  /** The campaign before the first PATCH; absent if it could not be read. */
  readonly reading?: ReadingAt;
  readonly confirm?: ConfirmRule;
  /** Repeats that people had ordered when it was sent: one more means that a person has looked since. */
  readonly approvals: number;
  /** It was sent over another start's run, and this is what that one had planned. */
  readonly replaced?: { readonly plannedStop?: PlannedStop };
}

/** A stop that the row accepted. */
export interface SentStop extends CommandOrder {
  /** The status that it sends. */
  readonly word: string;
  /** Present if it is the planned stop of a start. */
  readonly plannedBy?: { readonly startId: string; readonly at: string };
  /** A planned stop that it replaced before that one had its outcome. */
  readonly tookOver?: string;
}

/** No run of this stage is known to run. */
export interface Idle {
  readonly state: 'idle';
  readonly stopped?: { readonly id: string; readonly at: string };
  /** An earlier request may land until then: no start is sent before. */
  readonly noStartBefore?: string;
}

/** An attempt holds the row; its PATCH leaves or has left. */
export interface Starting {
  readonly state: 'starting';
  readonly start: SentStart;
  readonly before: StateBefore;
  readonly lease: RunLease;
}

/** The PATCH of a start may be applied. */
export interface StartUnknown {
  readonly state: 'start-unknown';
  readonly start: SentStart;
  readonly landsUntil: string;
  /** `x-request-id` of the request; absent if its worker died. */
  readonly requestId?: string;
  /** The status of an answer that proves nothing, such as 500; absent if none came. */
  readonly httpStatus?: number;
}

/** The gateway accepted the start. */
export interface Running {
  readonly state: 'running';
  readonly start: SentStart;
  /** Kept by a read-back, or by a stop that was given up: an earlier request for this run may still land. */
  readonly landsUntil?: string;
}

/** A stop is accepted and not settled; without a lease it waits for its next try. */
export interface Stopping {
  readonly state: 'stopping';
  readonly stop: SentStop;
  readonly before: StateBefore;
  readonly lease?: RunLease;
  readonly notBefore?: string;
  readonly landsUntil?: string;
  /** It was applied once; it goes out once more, because a start may still begin. */
  readonly appliedAt?: string;
}

/** The PATCH of a stop may be applied. */
export interface StopUnknown {
  readonly state: 'stop-unknown';
  readonly stop: SentStop;
  readonly before: StateBefore;
  readonly landsUntil: string;
  readonly appliedAt?: string;
}

/** The state to return to, with the `latest` that a start replaced; never nested deeper. */
export type StateBefore = (Idle | Running | StartUnknown) & { readonly latest?: LatestCommand };

/** One of the six states. */
export type RunState = Idle | Starting | StartUnknown | Running | Stopping | StopUnknown;

/** Updates of name and preserve: they compete with no start or stop. */
export interface RunUpdates {
  /** The latest that the gateway accepted. */
  readonly applied?: CommandOrder;
  /** The one whose PATCH leaves (with its lease), or may be applied. */
  readonly pending?: CommandOrder & { readonly lease?: RunLease; readonly landsUntil?: string };
}

/** What every state has beside its own fields. */
export interface RunIdentity {
  readonly campaignRunId: string;
  /** Its configured name, if it has one. */
  readonly run?: string;
  readonly latest?: LatestCommand;
  readonly update?: RunUpdates;
}

/** A run as it is decided on. */
export type RunNow = RunIdentity & RunState;

/** See {@link RunState}. */
export type RunRow = LedgerRowBase & { readonly kind: 'run' } & RunNow;

/** A request that left may land for this long: no server works on one request for longer (reliability.md 4.2). */
export const landsForMs = 60_000;

/** A row as a state and its identity, with the entries that every row carries. */
export function runRowOf(identity: RunIdentity, state: RunState): RunRow {
  const { campaignRunId, run, latest, update } = identity;
  const inFlight = state.state !== 'idle';
  return {
    pk: ledgerKeys.run(campaignRunId),
    kind: 'run',
    campaignRunId,
    run,
    latest,
    update,
    ...state,
    openState: inFlight ? 'RUN_IN_FLIGHT' : undefined,
    openSince: inFlight ? sinceOf(state) : undefined,
  };
}

function sinceOf(state: Exclude<RunState, Idle>): string {
  return startOf(state)?.effectAt ?? ('stop' in state ? state.stop.issuedAt : '');
}

/** The row of a run that no command was about yet. */
export function newRunRow(campaignRunId: string, run?: string): RunRow {
  return runRowOf({ campaignRunId, run }, { state: 'idle' });
}

/** The start that may be running: the row's own, or the one that a stop returns to. */
export function startOf(state: RunState): SentStart | undefined {
  if ('start' in state) return state.start;
  return 'before' in state && 'start' in state.before ? state.before.start : undefined;
}

/** Whether a start still plans this stop. */
export function plansStop(start: SentStart | undefined, plannedBy: SentStop['plannedBy']): boolean {
  return start?.startId === plannedBy?.startId && start?.plannedStop?.at === plannedBy?.at;
}

/** Whether a row holds this start: as its own, or as the one that its stop or its next start returns to. */
export function holdsStart(state: RunState, startId: string): boolean {
  const isHeldBefore = 'before' in state && 'start' in state.before && state.before.start.startId === startId;
  return isHeldBefore || ('start' in state && state.start.startId === startId);
}

/**
 * The state once a lease has ended without an answer. The platform ended the attempt, so its
 * request left by then or never.
 * @returns the same state while its lease is live, or if it has none
 */
export function afterLease(state: RunState, now: Date): RunState {
  if (!('lease' in state) || state.lease === undefined || Date.parse(state.lease.until) > now.getTime()) return state;
  const landsUntil = plusMs(state.lease.until, landsForMs);
  if (state.state === 'starting') return { state: 'start-unknown', start: state.start, landsUntil };
  const { stop, before, appliedAt } = state;
  return { state: 'stop-unknown', stop, before, landsUntil: laterOf(state.landsUntil, landsUntil), appliedAt };
}

/** The later of two instants, of which one may be absent. */
export function laterOf(a: string | undefined, b: string): string {
  return a !== undefined && Date.parse(a) > Date.parse(b) ? a : b;
}

/** An instant so many milliseconds after another. */
export function plusMs(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}

/** The identity of a row, without its state. */
export function identityOf({ campaignRunId, run, latest, update }: RunIdentity): RunIdentity {
  return { campaignRunId, run, latest, update };
}

/** The state of a row, without its identity and its entries in the index. */
export function stateOf(row: RunState): RunState {
  switch (row.state) {
    case 'idle':
      return { state: 'idle', stopped: row.stopped, noStartBefore: row.noStartBefore };
    case 'starting':
      return { state: 'starting', start: row.start, before: row.before, lease: row.lease };
    case 'start-unknown': {
      const { start, landsUntil, requestId, httpStatus } = row;
      return { state: 'start-unknown', start, landsUntil, requestId, httpStatus };
    }
    case 'running':
      return { state: 'running', start: row.start, landsUntil: row.landsUntil };
    case 'stopping': {
      const { stop, before, lease, notBefore, landsUntil, appliedAt } = row;
      return { state: 'stopping', stop, before, lease, notBefore, landsUntil, appliedAt };
    }
    case 'stop-unknown': {
      const { stop, before, landsUntil, appliedAt } = row;
      return { state: 'stop-unknown', stop, before, landsUntil, appliedAt };
    }
  }
}

/** What a start or a stop that takes the row over may have to give back. */
export function beforeOf(row: RunNow): StateBefore {
  const state = stateOf(row);
  if ('before' in state) throw new Error(`nothing takes over a run in the state ${state.state}`);
  return { ...state, latest: row.latest };
}
