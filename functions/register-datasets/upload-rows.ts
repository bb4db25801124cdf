import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';
import type { FileProblem } from '#shared/datasets/file/checked-file.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { ParkReason, SkipReason } from '#shared/vocabulary/reason-codes.ts';
import { checkedSentence } from '#shared/datasets/prompt-label-csv.ts';
import type { Upload } from './upload.ts';
import { mayMove } from './upload-states.ts';

/** The ledger's key of an object version. */
function uploadKeyOf(object: ObjectCreated): string {
  return ledgerKeys.upload(object.bucket, object.key, object.versionKey);
}

/** Reads the row of an upload, always the newest. */
export async function readUpload({ deps, object }: Omit<Upload, 'row'>): Promise<Stored<UploadRow> | undefined> {
  return deps.ledger.read<UploadRow>(uploadKeyOf(object));
}

/** What the gateway's people can search their logs for: it goes out as `x-request-id`, into the ledger and into our log. */
export function requestIdOf(uploadKey: string): string {
  return idempotencyKeyOf(uploadKey).slice(0, 16);
}

/** Sent as `Idempotency-Key`: the same for every try of one object version. */
export function idempotencyKeyOf(uploadKey: string): string {
  return uploadKey.slice(uploadKey.lastIndexOf('#') + 1);
}

/** What a row is made of: the object, the row as it was, and the time. An upload in hand is one. */
export interface RowBase {
  readonly object: ObjectCreated;
  readonly row: UploadRow | undefined;
  readonly context: { readonly now: () => Date };
}

type WithRow = RowBase & { readonly row: UploadRow };

/** Held by one attempt until the lease ends; nothing has been sent. */
export function claimedRow(
  base: RowBase,
  claim: Required<Pick<UploadRow, 'owner' | 'leaseUntil' | 'crashes' | 'ruleName'>>,
): UploadRow {
  return moved(base, 'CLAIMED', { ...kept(base.row), ...claim, attempts: (base.row?.attempts ?? 0) + 1 });
}

/** Of a row that is not in the table. */
const unwritten = 0;

/** The claim of a first delivery as the row that it would be. It is never written: the state that follows it is the first to be written. */
export function unwrittenClaim(claim: UploadRow): Stored<UploadRow> {
  return { ...claim, version: unwritten, writer: '' };
}

/** A row as the table has it, which the next write is conditioned on: an unwritten claim is none. */
export function inTable(row: Stored<UploadRow> | undefined): Stored<UploadRow> | undefined {
  return row?.version === unwritten ? undefined : row;
}

/** About to be sent: written before the one request that cannot be repeated. */
export function sendingRow(
  base: WithRow,
  sending: Required<Pick<UploadRow, 'owner' | 'leaseUntil' | 'datasetKey'>> &
    Pick<UploadRow, 'datasetName' | 'checked'>,
): UploadRow {
  return moved(base, 'SENDING', { ...kept(base.row), ...sending, sentAt: base.context.now().toISOString() });
}

/** Proven not applied: to be claimed again. An attempt that says so is no crash. */
export function readyRow(
  base: WithRow,
  {
    delayMs,
    lastError,
    ...seen
  }: { readonly delayMs: number; readonly lastError: string } & Pick<UploadRow, 'evidence' | 'refusals'>,
): UploadRow {
  const notBefore = new Date(base.context.now().getTime() + delayMs).toISOString();
  return moved(base, 'READY', {
    ...kept(base.row),
    ...seen,
    crashes: 0,
    notBefore,
    lastError: cappedDetail(lastError),
  });
}

/** The dataset exists; without an id, it would exist if the stage did not only observe. */
export function appliedRow(
  base: WithRow,
  { detail, datasetId }: { readonly detail: string; readonly datasetId?: string },
): UploadRow {
  const { parked: _parked, lastError: _lastError, evidence: _evidence, refusals: _refusals, ...rest } = kept(base.row);
  const { checked } = rest;
  const found = checked === undefined ? detail : `${detail}; ${checkedSentence(checked)}`;
  return moved(base, 'APPLIED', { ...rest, datasetId, outcome: ended(base, 'applied', { detail: found }) });
}

/** Sent, and it is not known whether it arrived: the evidence, written before anything else is done about it. */
export function unknownRow(base: WithRow, lastError: string, parked: ParkedWork): UploadRow {
  return moved(base, 'UNKNOWN', { ...kept(base.row), lastError: cappedDetail(lastError), parked });
}

/** Why an upload is parked. */
export interface WhyParked {
  readonly reason: ParkReason;
  readonly detail: string;
  readonly locked?: RecordedOutcome['locked'];
  readonly problemsByRow?: readonly FileProblem[];
}

/** Waits for a person, with what is known and the message to repeat it. */
export function parkedRow(base: RowBase, { problemsByRow, ...why }: WhyParked, parked: ParkedWork): UploadRow {
  const outcome = ended(base, 'parked', why);
  return moved(base, 'PARKED', { ...kept(base.row), parked, problemsByRow, outcome });
}

/** Skipped: another upload made the same request with the same bytes, or a newer version took its place. */
export function skippedRow(
  base: RowBase,
  why: { readonly reason: SkipReason; readonly detail: string },
  duplicate: Pick<UploadRow, 'datasetKey' | 'datasetId'> = {},
): UploadRow {
  return moved(base, 'SKIPPED', { ...kept(base.row), ...duplicate, outcome: ended(base, 'skipped', why) });
}

/** Not for us. */
export function ignoredRow(base: RowBase, detail: string): UploadRow {
  return moved(base, 'IGNORED', { ...kept(base.row), outcome: ended(base, 'ignored', { detail }) });
}

function ended(
  base: RowBase,
  kind: RecordedOutcome['kind'],
  { reason, detail, locked }: Pick<RecordedOutcome, 'reason' | 'locked'> & { readonly detail: string },
): RecordedOutcome {
  return { kind, reason, detail: cappedDetail(detail), locked, at: base.context.now().toISOString() };
}

/** What stays with a row from state to state; who holds it and how it ended does not. */
function kept(row: UploadRow | undefined): Partial<UploadRow> {
  if (row === undefined) return {};
  const { sentAt, lastError, evidence, refusals, datasetKey, datasetName, ruleName, checked, parked } = row;
  return { sentAt, lastError, evidence, refusals, datasetKey, datasetName, ruleName, checked, parked };
}

function moved({ object, row, context }: RowBase, state: UploadState, fields: Partial<UploadRow>): UploadRow {
  const now = context.now();
  const before: Partial<UploadRow> = row ?? {};
  const from = before.state ?? 'ABSENT';
  if (!mayMove(from, state)) throw new Error(`an upload never goes from ${from} to ${state}`);
  const { bucket, key, versionId, eventTime } = object;
  return {
    pk: uploadKeyOf(object),
    kind: 'upload',
    state,
    bucket,
    key,
    versionId,
    eventTime: before.eventTime ?? eventTime,
    attempts: before.attempts ?? 0,
    crashes: before.crashes ?? 0,
    resolutions: before.resolutions,
    ...openFields(state, row, now),
    // A parked one waits for a decision: it stays until a person decides.
    expiresAt: state === 'PARKED' ? undefined : expiryOf('upload', now),
    ...fields,
  };
}

function openFields(state: UploadState, row: UploadRow | undefined, now: Date): Partial<UploadRow> {
  switch (state) {
    case 'APPLIED':
    case 'SKIPPED':
    case 'IGNORED':
      return {};
    case 'PARKED':
      return { openState: 'PARKED', openSince: now.toISOString() };
    case 'CLAIMED':
    case 'SENDING':
    case 'READY':
    case 'UNKNOWN':
      return {
        openState: 'IN_FLIGHT',
        openSince: (row?.openState === 'IN_FLIGHT' ? row.openSince : undefined) ?? now.toISOString(),
      };
  }
}
