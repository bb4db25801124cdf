import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { ParkedWork } from '#shared/ledger/rows/message-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow, UploadState } from '#shared/ledger/rows/upload-row.ts';
import type { FileProblem } from '#shared/datasets/file/checked-file.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
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

/** The row in another state. Who held it, until when, and how it ended does not go along. */
export function movedRow({ object, row, context }: RowBase, state: UploadState, fields: Partial<UploadRow>): UploadRow {
  const now = context.now();
  const before: Partial<UploadRow> = row ?? {};
  const { sentAt, lastError, evidence, refusals, datasetKey, datasetName, ruleName, checked, parked } = before;
  const kept = { sentAt, lastError, evidence, refusals, datasetKey, datasetName, ruleName, checked, parked };
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
    ...openFields(state, before, now),
    // A parked one waits for a decision: it stays until a person decides.
    expiresAt: state === 'PARKED' ? undefined : expiryOf('upload', now),
    ...kept,
    ...fields,
    ...(fields.lastError === undefined ? {} : { lastError: cappedDetail(fields.lastError) }),
  };
}

const outcomeOf = { APPLIED: 'applied', SKIPPED: 'skipped', IGNORED: 'ignored', PARKED: 'parked' } as const;

function openFields(state: UploadState, { openState, openSince }: Partial<UploadRow>, now: Date): Partial<UploadRow> {
  if (state === 'PARKED') return { openState: 'PARKED', openSince: now.toISOString() };
  if (state in outcomeOf) return {};
  const since = openState === 'IN_FLIGHT' ? openSince : undefined;
  return { openState: 'IN_FLIGHT', openSince: since ?? now.toISOString() };
}

/** The row with its outcome. */
export function endedRow(
  base: RowBase,
  state: keyof typeof outcomeOf,
  { reason, detail, locked }: Pick<RecordedOutcome, 'reason' | 'locked'> & { readonly detail: string },
  fields: Partial<UploadRow> = {},
): UploadRow {
  const at = base.context.now().toISOString();
  const outcome = { kind: outcomeOf[state], reason, detail: cappedDetail(detail), locked, at };
  return movedRow(base, state, { ...fields, outcome });
}

/** Proven not applied: to be claimed again. An attempt that says so is no crash. */
export function readyRow(
  base: RowBase,
  delayMs: number,
  seen: { readonly lastError: string } & Pick<UploadRow, 'evidence' | 'refusals'>,
): UploadRow {
  const notBefore = new Date(base.context.now().getTime() + delayMs).toISOString();
  return movedRow(base, 'READY', { ...seen, crashes: 0, notBefore });
}

/** The dataset exists; without an id, it would exist if the stage did not only observe. */
export function appliedRow(
  base: RowBase,
  { detail, datasetId }: { readonly detail: string; readonly datasetId?: string },
): UploadRow {
  const checked = base.row?.checked;
  const found = checked === undefined ? detail : `${detail}; ${checkedSentence(checked)}`;
  const settled = { parked: undefined, lastError: undefined, evidence: undefined, refusals: undefined };
  return endedRow(base, 'APPLIED', { detail: found }, { ...settled, datasetId });
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
  return endedRow(base, 'PARKED', why, { parked, problemsByRow });
}
