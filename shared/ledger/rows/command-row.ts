import type { Verdict } from '../../gateway-client/index.ts';
import type { CampaignRunCommand } from '../../messages/campaign-run-command.ts';
import type { CommandSender } from '../../messages/command-senders.ts';
import type { GuardName, ReasonCode } from '../../vocabulary/reason-codes.ts';
import { cappedDetail } from './detail.ts';
import { parkedWork } from './message-row.ts';
import type { LedgerRowBase, RecordedOutcome } from './row-base.ts';
import type { ParkedWork, RequestEvidence, Resolution } from './message-row.ts';
import type { RunRead } from './run-reading.ts';
import type { Requested, StopState } from './run-row.ts';
import { expiryOf, ledgerKeys } from './row-keys.ts';
import type { InFlight } from './target-row.ts';

/** The row of a command: its outcome, and what is known until it has one. Instants are RFC 3339 in UTC. */
export interface CommandRow extends LedgerRowBase, Requested {
  readonly kind: 'command';
  readonly id: string;
  /** As it was sent. */
  readonly command: CampaignRunCommand;
  /** Who sent its first message, as SQS proves it; not as the command says. */
  readonly sender?: CommandSender;
  /** The target row that has its entry, once there is one: a deployment may have moved the run since. */
  readonly target?: string;
  /** The run that it is about, once known; a start holds this id. */
  readonly campaignRunId?: string;
  /** Of a start that the gateway was asked for, in place of an answer: what it showed. */
  readonly shown?: RunRead;
  /**
   * Of a start: the refusal of a guard that is recorded once its run has been ended. Of a stop: why the gateway refused it for one of its runs.
   */
  readonly refusedBy?: { readonly reason: ReasonCode; readonly detail: string };
  /** Of a start with an entry, for its event and its history. */
  readonly facts?: StartFacts;
  /** What each guard said about a start, in the order in which they were asked. */
  readonly verdicts?: readonly RecordedVerdict[];
  /** Of a stop: how it goes for each run id. */
  readonly stops?: Readonly<Record<string, StopOfRun>>;
  /** Of a stop: its requests for each run id. */
  readonly tries?: Readonly<Record<string, number>>;
  /** Of a stop whose `issuedAt` was ahead: when its message was sent. That counts as its instant. */
  readonly sent?: string;
  /** A start that a blackout deferred: it is sent again at `until`. It stays once the start has its outcome. */
  readonly deferred?: Deferral;
  /** Of an applied start. */
  readonly request?: SentRequest;
  /** A request of this start left and was not proven to have failed: its run may have been running in this interval. */
  readonly mayHaveRun?: { readonly from: string; readonly until: string };
  readonly attempt?: CommandAttempt;
  readonly outcome?: RecordedOutcome;
  readonly parked?: ParkedWork;
  readonly resolutions?: readonly Resolution[];
}

/** When the run of a start is due, when it is over, and its configured campaign. */
type StartFacts = Pick<InFlight, 'due' | 'endsAt' | 'plansStop' | 'campaign' | 'confirmWithin'>;

/** How a stop goes for one run, and since when. */
export interface StopOfRun {
  readonly how: StopState;
  readonly at: string;
}

/** How a blackout deferred a start. */
interface Deferral {
  /** When a blackout deferred it first. */
  readonly from: string;
  /** The end of the last blackout that deferred it. */
  readonly until: string;
  /** The last blackout that deferred it. */
  readonly blackout: string;
}

/** What one guard said about a start. */
export interface RecordedVerdict {
  readonly guard: GuardName;
  /** `overridden`: it refused, and an operator had named it. */
  readonly verdict: 'apply' | 'skip' | 'defer' | 'overridden';
  /** Why it refused, or what has to come first. */
  readonly detail?: string;
}

/** The request that began a run. */
interface SentRequest {
  /** Its `x-request-id`, for the gateway's own log. */
  readonly id: string;
  /** Attempts of the command until its outcome, those that waited for a slot included. */
  readonly tries: number;
  /** Why the last request before the outcome failed, in the gateway's own words if it gave any. */
  readonly lastError?: string;
}

/** Answers in a row of one status that refuse and may heal (403, 404). */
export interface Refusals {
  readonly status: number;
  readonly count: number;
  readonly since: string;
  /** The attempt that was refused last. A stop by name asks for several runs in one attempt, and that is one refusal. */
  readonly by?: string;
}

/** The attempts at a command that has no outcome yet. */
export interface CommandAttempt {
  /** Who is at it. Absent: the last attempt has ended. */
  readonly owner?: string;
  /** When the platform ends that attempt. */
  readonly until?: string;
  /** Attempts in a row that started and never ended. */
  readonly crashes: number;
  readonly refusals?: Refusals;
  /** When the first attempt ended without an outcome. */
  readonly since: string;
  /** Attempts that ended without an outcome. */
  readonly tries: number;
  /** Calls of the gateway that failed: what the back-off follows. */
  readonly failures?: number;
  /** What the last attempt waits for. */
  readonly waitsFor?: string;
  /** Why the last request failed, in the gateway's own words if it gave any. */
  readonly lastError?: string;
  /** What is known about that request. */
  readonly evidence?: RequestEvidence;
  /** By how much the gateway's clock was ahead of ours when it last refused a `startAt` as past. */
  readonly aheadMs?: number;
  readonly nextTryAt?: string;
}

/** An attempt under way; `nextAttempt` says when it is written. */
export type AttemptMark = Required<Pick<CommandAttempt, 'owner' | 'until' | 'crashes'>>;

/** What is known of the attempts at a command; of none, if none has begun. */
export function attemptOf({ attempt }: CommandRow, now: Date): CommandAttempt {
  return { crashes: 0, since: now.toISOString(), tries: 0, ...attempt };
}

/** The row of a command that was not tried yet. */
export function newCommandRow(command: CampaignRunCommand, now: Date): CommandRow {
  return {
    pk: ledgerKeys.command(command.id),
    kind: 'command',
    id: command.id,
    command,
    expiresAt: expiryOf('command', now),
  };
}

export interface CommandEnd {
  readonly outcome: Omit<RecordedOutcome, 'at'>;
  readonly campaignRunId?: string;
  readonly evidence?: RequestEvidence;
  readonly facts?: CommandRow['facts'];
  readonly verdicts?: CommandRow['verdicts'];
  readonly mayHaveRun?: CommandRow['mayHaveRun'];
  /** Of the request that began the run, if it is known. */
  readonly requestId?: string;
}

/** The message of a command, as far as parking keeps it. */
export interface CommandRecord {
  readonly body: string;
  readonly receiveCount: number;
  readonly sentAt: Date;
}

/** The row of a command with its outcome. */
export function endedRow(row: CommandRow, end: CommandEnd, now: Date, record: CommandRecord): CommandRow {
  const { kind, reason, detail } = end.outcome;
  const at = now.toISOString();
  const isParked = kind === 'parked';
  const { attempt: _attempt, refusedBy: _refusedBy, isTaken: _isTaken, ...kept } = row;
  const { mayHaveRun } = end;
  return {
    ...kept,
    campaignRunId: end.campaignRunId,
    facts: end.facts ?? row.facts,
    verdicts: end.verdicts ?? row.verdicts,
    request: requestOf(row, end),
    mayHaveRun,
    outcome: { kind, reason, detail: withInterval(detail, mayHaveRun), at },
    // A parked row waits for its person, however long.
    parked: isParked ? parkedWork(record, 'commands', now, end.evidence) : undefined,
    openState: isParked ? 'PARKED' : 'ENDED',
    openSince: at,
    expiresAt: isParked ? undefined : expiryOf('command', now),
  };
}

function requestOf({ attempt }: CommandRow, { requestId }: CommandEnd): SentRequest | undefined {
  if (requestId === undefined) return undefined;
  return { id: requestId, tries: (attempt?.tries ?? 0) + 1, lastError: attempt?.lastError };
}

/** An unproven start is never reported as not started. */
function withInterval(detail: string | undefined, interval: CommandRow['mayHaveRun']): string | undefined {
  if (interval === undefined) return detail && cappedDetail(detail);
  const text = `it may have run from ${interval.from} until ${interval.until}`;
  return cappedDetail(detail === undefined ? text : `${detail}; ${text}`);
}

/** The row of a command that goes back to its queue; `failed` if a call failed. */
export function waitingRow(
  row: CommandRow,
  wait: {
    readonly delayMs: number;
    readonly why: string;
    readonly failed?: FailedCall;
  },
  now: Date,
): CommandRow {
  const { delayMs, why, failed } = wait;
  const { attempt: before } = row;
  const { since = now.toISOString(), tries = 0, failures = 0 }: Partial<CommandAttempt> = before ?? {};
  const attempt: CommandAttempt = {
    crashes: 0,
    since,
    tries: tries + 1,
    failures: failures + (failed === undefined ? 0 : 1),
    waitsFor: cappedDetail(why),
    nextTryAt: new Date(now.getTime() + delayMs).toISOString(),
    aheadMs: failed?.aheadMs ?? before?.aheadMs,
    ...lastRequest(before ?? {}, wait),
  };
  return { ...row, attempt, openState: 'PENDING', openSince: since };
}

/** What is known about the last request that failed. */
function lastRequest(
  before: Partial<CommandAttempt>,
  { failed, why }: { readonly failed?: FailedCall; readonly why: string },
): Pick<CommandAttempt, 'refusals' | 'lastError' | 'evidence'> {
  if (failed !== undefined)
    return { refusals: failed.refusals, lastError: cappedDetail(why), evidence: failed.evidence };
  return { refusals: before.refusals, lastError: before.lastError, evidence: before.evidence };
}

/** What a failed call leaves in the row. */
export interface FailedCall {
  readonly evidence: RequestEvidence;
  readonly refusals?: Refusals;
  readonly aheadMs?: number;
}

/**
 * Counts a refusal that may heal: attempts in a row and of one status, since an outage between two refusals is none of them.
 * @returns the refusals with this one, and whether it was one too many; nothing of a failure that is not counted
 */
export function withRefusal(
  earlier: Refusals | undefined,
  { parkAfter, evidence: { httpStatus: status } }: Pick<Verdict, 'parkAfter' | 'evidence'>,
  { owner: by, now }: { readonly owner: string; readonly now: Date },
): { readonly refusals?: Refusals; readonly isUsedUp?: boolean } {
  if (parkAfter === undefined || status === undefined) return {};
  const { tries = Infinity, withinMs = Infinity, perMs } = parkAfter;
  const refusals = oneMore(earlier, { status, count: 1, since: now.toISOString(), by }, perMs);
  return { refusals, isUsedUp: refusals.count >= tries || now.getTime() - Date.parse(refusals.since) >= withinMs };
}

function oneMore(earlier: Refusals | undefined, one: Refusals, perMs = Infinity): Refusals {
  const isOld = Date.parse(one.since) - Date.parse(earlier?.since ?? '') > perMs;
  if (earlier?.status !== one.status || isOld) return one;
  return earlier.by === one.by ? earlier : { ...earlier, count: earlier.count + 1, by: one.by };
}
