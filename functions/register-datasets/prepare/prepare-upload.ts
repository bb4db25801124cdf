import { createHash, type Hash } from 'node:crypto';
import type { ObjectHead, ObjectStore, ObjectVersion, OpenedObject } from '#shared/aws/object-store.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { checkPromptLabelCsv, maxPromptLabelBytes } from '#shared/datasets/prompt-label-csv.ts';
import { listedDetail } from '#shared/ledger/open-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CheckedFile } from '#shared/ledger/rows/upload-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { maxSidecarBytes, parseSidecar, type SidecarFields, sidecarKeyOf } from '#shared/uploads/object-key.ts';
import type { SkipReason } from '#shared/vocabulary/reason-codes.ts';
import type { WhyParked } from '../upload-rows.ts';
import type { UploadDeps, UploadWork } from '../upload-states.ts';
import { type DatasetFields, type DatasetRequest, datasetRequest } from './dataset-request.ts';

/**
 * What is to be sent, and the key under which its content is reserved; or why it is not sent, now
 * or ever.
 */
export type Prepared =
  | {
      readonly kind: 'request';
      readonly fields: DatasetFields;
      readonly datasetKey: string;
      readonly checked?: CheckedFile;
    }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly detail: string }
  | Parked;

type Parked = { readonly kind: 'park' } & WhyParked;

/**
 * Looks at this very version, makes the request, and checks the content if the rule says so. Sends
 * nothing.
 * @param how - the rule, and since when the upload is under way (RFC 3339): what is waited for is
 *   waited for from then on
 */
export async function prepareUpload(
  deps: UploadDeps,
  work: UploadWork,
  how: { readonly rule: ResolvedDatasetRule; readonly since: string },
): Promise<Prepared> {
  const { object } = work;
  const { rule, since } = how;
  // First of all: a fault in a replaced version concerns no person.
  const newer = rule.versions === 'latest' ? await whatReplacedIt(deps, work) : undefined;
  if (newer !== undefined) return { kind: 'skip', reason: 'SUPERSEDED_VERSION', detail: newer };

  const { bucket, key } = object;
  const waiting = { bucket, key, since, now: work.context.now() };
  const sidecar = rule.sidecar && (await readSidecar(deps.objects, waiting, rule.sidecar));
  if (sidecar !== undefined && sidecar.kind !== 'fields') {
    // The sidecar of a version that is gone is not waited for.
    return (await deps.objects.head(versionOf(work))) === undefined ? gone(work) : sidecar;
  }
  const make: MakeRequest = (head) =>
    datasetRequest(
      object,
      { ...head, sidecar: sidecar?.fields },
      { rule, scannerVersionsAs: deps.config.gateway.scannerVersionsAs },
    );
  return rule.check === 'none' ? byItsHead(deps, work, make) : byItsContent(deps, work, make);
}

/**
 * What is there under the key instead of this version, if anything. The bucket is asked, not the
 * order of events. The newest event may be lost, the reconciler's messages carry no sequencer, and
 * no event of ours announces a deletion.
 */
async function whatReplacedIt(deps: UploadDeps, { object }: UploadWork): Promise<string | undefined> {
  const { bucket, key, versionId } = object;
  const current = await deps.objects.head({ bucket, key });
  if (current === undefined) return 'the key was deleted after this version';
  if (current.versionId === versionId) return undefined;
  return `version ${current.versionId ?? 'without an id'} is the newest of the key`;
}

type MakeRequest = (head: ObjectHead) => DatasetRequest;

/** If the bytes are not read, the store's own tag stands for them. */
async function byItsHead(deps: UploadDeps, work: UploadWork, make: MakeRequest): Promise<Prepared> {
  const head = await deps.objects.head(versionOf(work));
  if (head === undefined) return gone(work);
  const { etag, versionKey } = work.object;
  const request = make(head);
  return request.ok ? made(request, { digest: head.etag || etag || versionKey }) : unmade(request);
}

/**
 * Files up to this size are checked at once. A check takes up to 25 times the file's size, so four
 * small ones add a tenth to the 250 MB of a large one. Larger ones wait for their turn before they
 * are asked for: no connection is held meanwhile.
 */
const smallFileBytes = 256_000;

/**
 * One request brings what the version says of itself and its bytes:
 * docs/adr/0024-one-read-of-a-file.md.
 */
async function byItsContent(deps: UploadDeps, work: UploadWork, make: MakeRequest): Promise<Prepared> {
  const read = async () => {
    using opened = await deps.objects.open(versionOf(work));
    if (opened === undefined) return gone(work);
    const request = make(opened);
    if (!request.ok) return unmade(request);
    const content = await checkedContent(opened);
    return content.kind === 'park' ? content : made(request, content);
  };
  return work.object.sizeBytes <= smallFileBytes ? read() : deps.checking(read);
}

function made(
  { fields, json }: Extract<DatasetRequest, { ok: true }>,
  { digest, checked }: { readonly digest: string; readonly checked?: CheckedFile },
): Prepared {
  const datasetKey = ledgerKeys.dataset(json, digest);
  return { kind: 'request', fields, datasetKey, checked };
}

function unmade({ reason, detail }: Extract<DatasetRequest, { ok: false }>): Parked {
  return { kind: 'park', reason, detail };
}

function versionOf({ object }: UploadWork): ObjectVersion {
  const { bucket, key, versionId } = object;
  return { bucket, key, versionId };
}

function gone({ object }: UploadWork): Parked {
  const version = object.versionId === undefined ? 'the object' : `version ${object.versionId}`;
  return { kind: 'park', reason: 'OBJECT_GONE', detail: `${version} was deleted before it could be read` };
}

/**
 * A file that passed the check `prompt-label-csv`, with the digest of its bytes; or why it is
 * parked.
 */
export type CheckedContent =
  | { readonly kind: 'checked'; readonly digest: string; readonly checked: CheckedFile }
  | Parked;

/**
 * Reads a version once: its bytes go through the check and the digest piece by piece. Of a version
 *   that is too large no byte is read.
 */
export async function checkedContent({
  sizeBytes,
  pieces,
}: Pick<OpenedObject, 'sizeBytes' | 'pieces'>): Promise<CheckedContent> {
  if (sizeBytes > maxPromptLabelBytes) {
    const detail = `the object has ${sizeBytes} bytes, the check prompt-label-csv takes ${maxPromptLabelBytes}`;
    return { kind: 'park', reason: 'OBJECT_TOO_LARGE', detail };
  }
  const hash = createHash('sha256');
  const check = await checkPromptLabelCsv(hashed(pieces, hash));
  if (check.ok) return { kind: 'checked', digest: hash.digest('hex'), checked: check.checked };
  const more = check.more === 0 ? '' : `; and ${check.more} more`;
  const detail = `prompt-label-csv: ${check.problems.join('; ')}${more}`;
  return { kind: 'park', reason: 'CHECK_FAILED', detail, problemsByRow: check.problemsByRow };
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/**
 * What an upload's sidecar says; or that the upload waits for it, or cannot be registered without.
 */
export type Sidecar =
  | { readonly kind: 'fields'; readonly fields: SidecarFields }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'park'; readonly reason: 'SIDECAR_MISSING' | 'BAD_SIDECAR'; readonly detail: string };

/** An upload that waits for its sidecar. */
interface Waiting {
  readonly bucket: string;
  /** Of the upload. */
  readonly key: string;
  /** When it was first seen, RFC 3339. */
  readonly since: string;
  readonly now: Date;
}

const shortestWaitMs = 5_000;
const longestWaitMs = 5 * 60_000;

/**
 * Reads the sidecar that is beside an upload now. If there is none yet, the upload comes back by
 * itself, sooner at first; no person has to tell it that the sidecar came.
 */
export async function readSidecar(
  objects: ObjectStore,
  upload: Waiting,
  rule: { readonly within: string },
): Promise<Sidecar> {
  const { bucket, key } = upload;
  const sidecarKey = sidecarKeyOf(key);
  using opened = await objects.open({ bucket, key: sidecarKey });
  if (opened === undefined) return notThere(upload, rule);
  if (opened.sizeBytes > maxSidecarBytes) {
    const detail = `${sidecarKey} has ${opened.sizeBytes} bytes, a sidecar has at most ${maxSidecarBytes}`;
    return { kind: 'park', reason: 'BAD_SIDECAR', detail };
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of opened.pieces) pieces.push(piece);
  const parsed = parseSidecar(Buffer.concat(pieces));
  if (parsed.ok) return { kind: 'fields', fields: parsed.fields };
  return { kind: 'park', reason: 'BAD_SIDECAR', detail: `${sidecarKey}: ${listedDetail(parsed.problems, 'problems')}` };
}

function notThere({ key, since, now }: Waiting, { within }: { readonly within: string }): Sidecar {
  const waitedMs = now.getTime() - Date.parse(since);
  const leftMs = (durationMs(within) ?? 0) - waitedMs;
  const sidecarKey = sidecarKeyOf(key);
  if (leftMs <= 0) {
    return { kind: 'park', reason: 'SIDECAR_MISSING', detail: `${sidecarKey} was waited for since ${since}` };
  }
  const delayMs = Math.min(leftMs, longestWaitMs, Math.max(shortestWaitMs, Math.round(waitedMs / 4)));
  return { kind: 'wait', delayMs, why: `waits for ${sidecarKey}` };
}
