import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind } from '#shared/ledger/open-rows.ts';
import type { CommandAttempt, CommandRow, Refusals } from '#shared/ledger/rows/command-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { runIdOf } from '../run-state/run-rows.ts';
import type { GateStatus } from '../stage/gate-status.ts';

/** Work that was tried and has no outcome yet: what a person asks about it while it waits. */
export interface PendingWork extends Pick<CommandAttempt, 'waitsFor' | 'lastError' | 'evidence' | 'nextTryAt'> {
  /** A command's id, or an upload's key. */
  readonly id: string;
  /** Of an upload. */
  readonly versionId?: string;
  /** Of a command. */
  readonly action?: CampaignRunCommand['action'];
  /** The configured run, if the command names one. */
  readonly run?: string;
  readonly campaignRunId?: string;
  /** The end of its first attempt, or the instant of the decision to repeat it. */
  readonly since: string;
  /** Attempts that were made. */
  readonly tries: number;
  /** Answers in a row that look permanent (404 of a run, for example): the work is parked if they go on. */
  readonly refusals?: Refusals | undefined;
  readonly isObserved?: true;
}

/**
 * Every command and upload that was tried and has no outcome, the oldest first. A deferred start that was tried after its blackout is one of
 * them.
 */
export async function listPending(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly PendingWork[]> {
  const [pending, deferred, uploads] = await Promise.all([
    listOpenOfKind(ledger, 'PENDING', 'command'),
    listOpenOfKind(ledger, 'DEFERRED', 'command'),
    listOpenOfKind(ledger, 'IN_FLIGHT', 'upload'),
  ]);
  return [
    ...[...pending, ...deferred].filter((row) => isPending(row)).map((row) => pendingCommand(row)),
    ...uploads.filter((row) => isPendingUpload(row)).map((row) => pendingUpload(row)),
  ].toSorted((a, b) => a.since.localeCompare(b.since));
}

/** Whether a row is listed as pending; other open rows are in flight. */
export function isListedPending(row: LedgerRow): boolean {
  if (row.kind === 'command') return isPending(row);
  return row.kind === 'upload' && isPendingUpload(row);
}

/** Whether an upload was tried and waits for its next try. */
export function isPendingUpload({ outcome, lastError }: UploadRow): boolean {
  return outcome === undefined && lastError !== undefined;
}

/** What is known about an upload that has no outcome. Pure. */
export function pendingUpload(row: UploadRow): PendingWork {
  const { key, versionId, openSince, eventTime, attempts, state, sentAt, lastError, notBefore, evidence, refusals } =
    row;
  const isSent = state === 'SENDING' && sentAt !== undefined;
  return {
    id: key,
    versionId,
    since: openSince ?? eventTime,
    tries: attempts,
    waitsFor: isSent ? `the answer to its request, which left at ${sentAt}` : undefined,
    lastError,
    nextTryAt: notBefore,
    evidence,
    refusals,
    isObserved: row.isObserved,
  };
}

/**
 * An upload that no worker has begun, if the gate is why. Pure.
 * @param upload - its key, its version, and when it was put
 */
export function uploadAtGate(
  upload: Pick<PendingWork, 'id' | 'versionId' | 'since'>,
  gate: GateStatus,
): PendingWork | undefined {
  if (gate.state === 'open') return undefined;
  const { state, reason, until } = gate;
  return {
    ...upload,
    tries: 0,
    waitsFor: `the gateway connection is ${state === 'closed' ? 'down' : state}: ${reason}`,
    nextTryAt: until,
  };
}

/** Tried work behind a gate that is not open: its next try comes with the next probe. Its own time may be long past. Pure. */
export function heldByGate(pending: PendingWork, gate: GateStatus): PendingWork {
  if (gate.state === 'open' || (pending.nextTryAt !== undefined && pending.nextTryAt > gate.until)) return pending;
  return { ...pending, nextTryAt: gate.until };
}

/**
 * Whether a command was tried and has no outcome. A start that a blackout
 * defers is not pending until it is tried.
 */
export function isPending({ outcome, openState, deferred, attempt }: CommandRow): boolean {
  if (outcome !== undefined) return false;
  return deferred === undefined || openState === 'PENDING' || attempt !== undefined;
}

/** What is known about a command that has no outcome. Pure. */
export function pendingCommand(row: CommandRow): PendingWork {
  const { id, command, openSince } = row;
  const attempt: Partial<CommandAttempt> = row.attempt ?? {};
  const { waitsFor, lastError, evidence, nextTryAt, refusals } = attempt;
  return {
    id,
    action: command.action,
    run: command.run,
    campaignRunId: runIdOf(row),
    since: attempt.since ?? openSince ?? command.issuedAt,
    tries: attempt.tries ?? 0,
    waitsFor,
    lastError,
    evidence,
    nextTryAt,
    refusals,
    isObserved: row.isObserved,
  };
}

/**
 * In one line, for a person who waits: how often it was tried and why it waits, and when it is
 * tried again.
 */
export function pendingSentence(pending: PendingWork, at = (instant: string) => instant): string {
  const { since, nextTryAt } = pending;
  const head = [`${triesOf(pending)} since ${at(since)}`, reasonOf(pending)].filter((part) => part !== '').join(': ');
  return nextTryAt === undefined ? head : `${head}; next try ${at(nextTryAt)}`;
}

/** Said at once, while the patience with such an answer runs. */
export function refusedWords({ refusals }: Pick<PendingWork, 'refusals'>): string | undefined {
  if (refusals === undefined) return undefined;
  const { count, status } = refusals;
  const times = count === 1 ? 'once' : `${count} times one after the other`;
  return `${times} (${status}): it looks permanent, and the work is parked if it goes on`;
}

/** `1 try`, `3 tries`. */
export function triesOf({ tries, waitsFor, lastError }: Omit<PendingWork, 'id' | 'since'>): string {
  if (tries === 0) return waitsFor === undefined || waitsFor === lastError ? 'in its first try' : 'not tried yet';
  return tries === 1 ? '1 try' : `${tries} tries`;
}

/** What it waits for and why the last request failed. After a failed request, what it waits for is the error itself. */
export function reasonOf({ waitsFor, lastError, refusals }: Partial<PendingWork>): string {
  const refused = refusedWords({ refusals });
  return [
    waitsFor === lastError ? undefined : waitsFor,
    lastError === undefined ? undefined : `last error: ${lastError}`,
    refused === undefined ? undefined : `refused ${refused}`,
  ]
    .filter((part) => part !== undefined)
    .join('; ');
}
