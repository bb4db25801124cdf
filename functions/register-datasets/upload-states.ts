/**
 * The states of an upload, and what a delivery does next. Pure: everything about "may this be
 * sent?" is decided here.
 *
 *     (absent) → CLAIMED → SENDING → APPLIED
 *                  ↑ │        ├────→ READY (proven not applied; claimed again later)
 *                  │ └→ …     └────→ UNKNOWN → PARKED → a person: APPLIED or READY
 *
 * CLAIMED and SENDING are two states so that slow preparation does not widen the time in which a
 * death leaves an unknown. The claim of a first delivery is not written: its next state is, on the
 * condition that there is still no row. So an upload costs three writes.
 */
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';
import { chooseRule, whyNotTaken } from '#shared/uploads/dataset-rule.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import { isFolderMarker, keyOfSidecar } from '#shared/uploads/object-key.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import type { UploadDeps } from './upload.ts';

/**
 * Every move that there is; `ABSENT` is a row that does not exist. SENDING is entered from CLAIMED
 * alone and never re-entered.
 */
export const uploadMoves = {
  ABSENT: ['CLAIMED', 'IGNORED', 'PARKED'],
  CLAIMED: ['CLAIMED', 'SENDING', 'READY', 'SKIPPED', 'IGNORED', 'PARKED'],
  SENDING: ['APPLIED', 'READY', 'UNKNOWN', 'PARKED'],
  READY: ['CLAIMED', 'IGNORED', 'PARKED', 'APPLIED'],
  UNKNOWN: ['PARKED', 'APPLIED'],
  PARKED: ['READY', 'APPLIED'],
  APPLIED: [],
  SKIPPED: [],
  IGNORED: [],
} as const satisfies Record<UploadState | 'ABSENT', readonly UploadState[]>;

/** Says whether a row may go from one state to another. */
export function mayMove(from: UploadState | 'ABSENT', to: UploadState): boolean {
  const moves: readonly UploadState[] = uploadMoves[from];
  return moves.includes(to);
}

/** What a delivery does with the row as it is. */
export type UploadStep =
  /** No worker holds it, and nothing has been sent. Of a first delivery the claim is not written, only the next state is. */
  | { readonly kind: 'claim'; readonly crashes: number; readonly isWritten: boolean }
  /** It has its outcome: repeat the follow-ups, acknowledge. */
  | { readonly kind: 'ended' }
  /** Another worker is at it, or its time has not come. */
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'crash-loop'; readonly crashes: number }
  /**
   * The worker that was sending it died: it is not known whether the gateway got it. Never sent
   * again by us.
   */
  | { readonly kind: 'mark-unknown' }
  | { readonly kind: 'park-unknown' };

/** Attempts that started and never said how they ended, before it is parked. */
const mostCrashes = 3;

/**
 * Decides what comes next for a row (`undefined`: there is none).
 * @param delivery - the message's `receiveCount`. A later delivery that finds no row follows one
 *   that may have died without a mark. It counts as dead, and this one leaves a mark
 */
export function nextUploadStep(
  row: UploadRow | undefined,
  { now, receiveCount }: { readonly now: Date; readonly receiveCount: number },
): UploadStep {
  if (row === undefined) return receiveCount <= 1 ? claimed(0, false) : claimed(1);
  return stepFrom[row.state](row, now);
}

const claimed = (crashes: number, isWritten = true): UploadStep => ({ kind: 'claim', crashes, isWritten });
const ended = (): UploadStep => ({ kind: 'ended' });

const stepFrom: Readonly<Record<UploadState, (row: UploadRow, now: Date) => UploadStep>> = {
  APPLIED: ended,
  SKIPPED: ended,
  IGNORED: ended,
  PARKED: ended,
  UNKNOWN: () => ({ kind: 'park-unknown' }),
  READY: ({ notBefore, lastError, crashes }, now) =>
    untilPast(notBefore, now, lastError ?? 'waits for its next try') ?? claimed(crashes),
  CLAIMED: (row, now) => untilPast(row.leaseUntil, now, 'another worker prepares it') ?? afterCrash(row.crashes + 1),
  SENDING: (row, now) => untilPast(row.leaseUntil, now, 'another worker sends it') ?? { kind: 'mark-unknown' },
};

function afterCrash(crashes: number): UploadStep {
  return crashes >= mostCrashes ? { kind: 'crash-loop', crashes } : claimed(crashes);
}

/** Reasons of a parked upload whose dataset exists, or may exist, at the gateway. */
const mayExist: ReadonlySet<string | undefined> = new Set([
  'POST_OUTCOME_UNKNOWN',
  'APPLIED_ID_UNKNOWN',
  'DUPLICATE_SUSPECTED',
]);

/**
 * What a reservation means to another upload of the same content. `binds`: the dataset exists or
 * may exist. `under-way`: wait. `free`: it ended without a dataset, or a person dismissed it.
 */
type ContentClaim = 'binds' | 'under-way' | 'free';

const claimOf: Readonly<Record<Exclude<UploadState, 'PARKED'>, ContentClaim>> = {
  APPLIED: 'binds',
  UNKNOWN: 'binds',
  SKIPPED: 'free',
  IGNORED: 'free',
  CLAIMED: 'under-way',
  SENDING: 'under-way',
  READY: 'under-way',
};

/**
 * What an upload that once reserved a request means to another upload of the same request.
 * @param datasetKey - the key of that request
 */
export function contentClaim(row: UploadRow | undefined, datasetKey: string): ContentClaim {
  const claim = claimOfRow(row);
  return claim === 'binds' && wasSentAsAnother(row, datasetKey) ? 'free' : claim;
}

/**
 * A deployment or a new sidecar made another request of it before the first one was sent. A repeat
 * that a person ordered may have made another one too, but after the first was sent.
 */
function wasSentAsAnother(row: UploadRow | undefined, datasetKey: string): boolean {
  return row?.datasetKey !== undefined && row.datasetKey !== datasetKey && row.resolutions === undefined;
}

function claimOfRow(row: UploadRow | undefined): ContentClaim {
  // Its claim is not written. Each of its ends leaves a row, and only a row gives the place up.
  if (row === undefined) return 'under-way';
  if (row.state !== 'PARKED') return claimOf[row.state];
  // The person who dismissed it has looked, or does not care: nothing will ever come of it, and the
  // same bytes may be sent again.
  if (row.resolutions?.at(-1)?.decision === 'dismiss') return 'free';
  return mayExist.has(row.outcome?.reason) ? 'binds' : 'free';
}

/**
 * A wait until an instant of the row, or nothing if it has passed. An instant that cannot be read
 * has passed.
 */
function untilPast(instant: string | undefined, now: Date, why: string): UploadStep | undefined {
  const delayMs = Date.parse(instant ?? '') - now.getTime();
  return delayMs > 0 ? { kind: 'wait', delayMs, why } : undefined;
}

/** Whether an object is ours to register. */
export type Triage =
  | { readonly kind: 'register'; readonly rule: ResolvedDatasetRule }
  | { readonly kind: 'ignore'; readonly detail: string }
  | { readonly kind: 'foreign'; readonly detail: string };

/** Decides by the event alone: a foreign one makes no call to S3. Pure. */
export function triage(object: ObjectCreated, ours: Pick<UploadDeps, 'bucket' | 'config'>): Triage {
  if (object.bucket !== ours.bucket) return { kind: 'foreign', detail: `the bucket ${object.bucket} is not ours` };
  if (!object.key.startsWith(datasetsPrefix)) {
    return { kind: 'foreign', detail: `the key is not below ${datasetsPrefix}` };
  }
  if (isFolderMarker(object)) return { kind: 'ignore', detail: 'an empty object that stands for a folder' };
  const described = keyOfSidecar(object.key);
  if (described !== undefined) return { kind: 'ignore', detail: `the sidecar of ${described}` };
  const rule = chooseRule(ours.config.datasetRules, object.key);
  return rule === undefined
    ? {
        kind: 'ignore',
        detail: whyNotTaken(ours.config.datasetRules, object.key) ?? 'no rule for datasets has a prefix of this key',
      }
    : { kind: 'register', rule };
}
