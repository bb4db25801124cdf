import { createHash } from 'node:crypto';
import {
  type ObjectHead,
  ObjectRefusedError,
  type ObjectVersion,
  type OpenedObject,
} from '#shared/aws/object-store.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import type { ListedProblems } from '#shared/datasets/file/file-findings.ts';
import { checkPromptLabelCsv, maxPromptLabelBytes } from '#shared/datasets/prompt-label-csv.ts';
import { type FileForm, fileForm } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CheckedFile } from '#shared/datasets/file/checked-file.ts';
import type { SkipReason } from '#shared/vocabulary/reason-codes.ts';
import type { WhyParked } from './upload-rows.ts';
import { NotNow, type Upload, type UploadWithRow } from './upload.ts';
import { type DatasetFields, type DatasetRequest, datasetRequest } from './dataset-request.ts';
import { readSidecar } from './sidecar.ts';

/** What is to be sent, and the key under which its content is reserved; or why it is never sent. */
export type Prepared =
  | {
      readonly kind: 'request';
      readonly fields: DatasetFields;
      /** The fields and the file, whole; absent: the fields go out as JSON. */
      readonly form?: FileForm;
      readonly datasetKey: string;
      readonly checked?: CheckedFile;
    }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly detail: string }
  | Parked;

type Parked = { readonly kind: 'park' } & WhyParked;

/**
 * Looks at this very version, makes the request, and checks the content if the rule says so. Sends
 * nothing.
 * @throws NotNow if its sidecar is waited for
 */
export async function prepareUpload(upload: UploadWithRow, rule: ResolvedDatasetRule): Promise<Prepared> {
  try {
    return await prepare(upload, rule);
  } catch (error) {
    if (error instanceof ObjectRefusedError) return { kind: 'park', reason: 'OBJECT_REFUSED', detail: error.message };
    throw error;
  }
}

async function prepare(upload: UploadWithRow, rule: ResolvedDatasetRule): Promise<Prepared> {
  const { deps, object, row, context } = upload;
  // First of all: a fault in a replaced version concerns no person.
  const newer = rule.versions === 'latest' ? await whatReplacedIt(upload) : undefined;
  if (newer !== undefined) return { kind: 'skip', reason: 'SUPERSEDED_VERSION', detail: newer };

  const now = context.now();
  const waiting = { bucket: object.bucket, key: object.key, since: row.openSince ?? now.toISOString(), now };
  const sidecar = rule.sidecar && (await readSidecar(deps.objects, waiting, rule.sidecar));
  if (sidecar !== undefined && sidecar.kind !== 'fields') {
    // The sidecar of a version that is gone is not waited for.
    if ((await deps.objects.head(versionOf(upload))) === undefined) return gone(upload);
    if (sidecar.kind === 'wait') throw new NotNow(sidecar.delayMs, sidecar.why);
    return sidecar;
  }
  const make: MakeRequest = (head) =>
    datasetRequest(
      object,
      { ...head, sidecar: sidecar?.fields },
      { rule, scannerVersionsAs: deps.config.gateway.scannerVersionsAs },
    );
  const isRead = rule.check !== 'none' || rule.file !== undefined;
  return isRead ? byItsContent(upload, { rule, make }) : byItsHead(upload, make);
}

/**
 * What is there under the key instead of this version, if anything. The bucket is asked, not the
 * order of events. The newest event may be lost, the reconciler's messages carry no sequencer, and
 * no event of ours announces a deletion.
 */
async function whatReplacedIt({ deps, object }: Upload): Promise<string | undefined> {
  const { bucket, key, versionId } = object;
  const current = await deps.objects.head({ bucket, key });
  if (current === undefined) return 'the key was deleted after this version';
  if (current.versionId === versionId) return undefined;
  return `version ${current.versionId ?? 'without an id'} is the newest of the key`;
}

type MakeRequest = (head: ObjectHead) => DatasetRequest;

/** If the bytes are not read, the store's own tag stands for them. */
async function byItsHead(upload: Upload, make: MakeRequest): Promise<Prepared> {
  const head = await upload.deps.objects.head(versionOf(upload));
  if (head === undefined) return gone(upload);
  const { etag, versionKey } = upload.object;
  const request = make(head);
  return request.ok ? made(request.fields, { digest: head.etag || etag || versionKey }) : unmade(request);
}

/**
 * Files up to this size are checked at once. A check takes up to 25 times the file's size, so four
 * small ones add a tenth to the 250 MB of a large one. Larger ones wait for their turn before they
 * are asked for: no connection is held meanwhile.
 */
const smallFileBytes = 256_000;

/** One request brings what the version says of itself and its bytes. */
async function byItsContent(
  upload: Upload,
  { rule, make }: { readonly rule: ResolvedDatasetRule; readonly make: MakeRequest },
): Promise<Prepared> {
  const { deps, object } = upload;
  const read = async (): Promise<Prepared> => {
    using opened = await deps.objects.open(versionOf(upload));
    if (opened === undefined) return gone(upload);
    const request = make(opened);
    if (!request.ok) return unmade(request);
    const tooLarge = limitExceeded(opened.sizeBytes, rule);
    if (tooLarge !== undefined) return { kind: 'park', reason: 'OBJECT_TOO_LARGE', detail: tooLarge };
    const file = await bytesOf(opened);
    return ofContent(file, rule, { fields: request.fields, name: fileNameOf(object.key) });
  };
  return object.sizeBytes <= smallFileBytes ? read() : deps.checking(read);
}

/** The name of the file is no part of what makes two requests equal: it is another under each key. */
function made(
  fields: DatasetFields,
  { digest, checked }: { readonly digest: string; readonly checked?: CheckedFile },
): Extract<Prepared, { kind: 'request' }> {
  const datasetKey = ledgerKeys.dataset(JSON.stringify(fields), digest);
  return { kind: 'request', fields, datasetKey, checked };
}

/** The last part of the key that is not empty. */
function fileNameOf(key: string): string {
  return key.split('/').findLast((part) => part !== '') ?? key;
}

function unmade({ reason, detail, locked }: Extract<DatasetRequest, { ok: false }>): Parked {
  return { kind: 'park', reason, detail, locked };
}

function versionOf({ object }: Upload): ObjectVersion {
  const { bucket, key, versionId } = object;
  return { bucket, key, versionId };
}

function gone({ object }: Upload): Parked {
  const version = object.versionId === undefined ? 'the object' : `version ${object.versionId}`;
  return { kind: 'park', reason: 'OBJECT_GONE', detail: `${version} was deleted before it could be read` };
}

/** Of a version that is too large no byte is read. */
function limitExceeded(sizeBytes: number, { check, file, prefix }: ResolvedDatasetRule): string | undefined {
  const limits = [
    ...(check === 'none' ? [] : [{ bytes: maxPromptLabelBytes, by: `the check ${check}` }]),
    ...(file === undefined ? [] : [{ bytes: file.maxBytes, by: `the rule for ${prefix}` }]),
  ];
  const exceeded = limits.find(({ bytes }) => sizeBytes > bytes);
  return exceeded && `the object has ${sizeBytes} bytes, ${exceeded.by} takes ${exceeded.bytes}`;
}

/** The bytes of a version, in one piece. */
async function bytesOf({ pieces, sizeBytes }: OpenedObject): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  let came = 0;
  for await (const piece of pieces) {
    bytes.set(piece, came); // throws if there is no room for it
    came += piece.byteLength;
  }
  if (came !== sizeBytes) throw new Error(`the file has ${sizeBytes} bytes, and ${came} of them came`);
  return bytes;
}

/**
 * The request for a file, with the digest of its bytes. What two files mean in the same way to a
 * mapping is the same content.
 */
async function ofContent(
  file: Buffer,
  { check, convert, file: sent }: ResolvedDatasetRule,
  { fields, name }: { readonly fields: DatasetFields; readonly name: string },
): Promise<Prepared> {
  if (convert !== undefined) {
    // Loaded by the first file that needs it: it takes 7 % of a cold start (npm run bench -- --only cold).
    const { convertDataset } = await import('#shared/datasets/convert-dataset.ts');
    const { csv, checked, ...found } = convertDataset(file, {
      mapping: convert,
      encoding: convert.encoding,
      sheet: convert.sheet,
    });
    if (found.problems.length > 0) return failedCheck(check, found);
    const csvName = name.replace(/\.(?:tsv|txt|jsonl|ndjson|json|xlsx)$/i, '.csv');
    return {
      ...made(fields, { digest: digestOf(csv), checked }),
      form: fileForm(fields, { name: csvName, content: csv }),
    };
  }
  // What no check looks at is good as it is.
  const found = check === 'none' ? undefined : checkPromptLabelCsv(file);
  if (found?.ok === false) return failedCheck(check, found);
  const form = sent && fileForm(fields, { name, content: file });
  return { ...made(fields, { digest: digestOf(file), checked: found?.checked }), form };
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Problems that the row of an upload keeps. */
const mostProblems = 5;

function failedCheck(check: string, { problems, problemsByRow, more }: ListedProblems): Parked {
  const rest = more + Math.max(0, problems.length - mostProblems);
  const detail = `${check}: ${problems.slice(0, mostProblems).join('; ')}${rest === 0 ? '' : `; and ${rest} more`}`;
  return { kind: 'park', reason: 'CHECK_FAILED', detail, problemsByRow: problemsByRow.slice(0, mostProblems) };
}
