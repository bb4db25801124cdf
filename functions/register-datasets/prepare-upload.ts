import type { ResolvedDatasetRule } from '../../shared/config/resolved-automation.ts';
import type { ObjectHead, ObjectVersion } from '../../shared/aws/object-store.ts';
import { type CheckedFile, ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { ParkReason, SkipReason } from '../../shared/vocabulary/reason-codes.ts';
import { checkedContent } from './checked-content.ts';
import { type DatasetFields, datasetRequest } from './dataset-request.ts';
import { readSidecar } from './read-sidecar.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/** What is to be sent, and the key under which its content is reserved; or why it is not sent, now or ever. */
export type Prepared =
  | {
      readonly kind: 'request';
      readonly fields: DatasetFields;
      readonly datasetKey: string;
      readonly checked?: CheckedFile;
    }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly detail: string }
  | { readonly kind: 'park'; readonly reason: ParkReason; readonly detail: string };

/**
 * Looks at this very version, makes the request and checks the content where the rule says so. Sends nothing.
 * @param how - the rule, and since when the upload is under way (RFC 3339): what is waited for is waited for from then on
 */
export async function prepareUpload(
  deps: UploadDeps,
  work: UploadWork,
  how: { readonly rule: ResolvedDatasetRule; readonly since: string },
): Promise<Prepared> {
  const { object } = work;
  const { rule, since } = how;
  // First of all: what is wrong with a version that another has replaced need not bother anybody.
  const newer = rule.versions === 'latest' ? await whatReplacedIt(deps, work) : undefined;
  if (newer !== undefined) return { kind: 'skip', reason: 'SUPERSEDED_VERSION', detail: newer };
  const head = await deps.objects.head(versionOf(work));
  if (head === undefined) return gone(work);

  const { bucket, key } = object;
  const waiting = { bucket, key, since, now: work.context.now() };
  const sidecar = rule.sidecar && (await readSidecar(deps.objects, waiting, rule.sidecar));
  if (sidecar !== undefined && sidecar.kind !== 'fields') return sidecar;
  const found = { ...head, ...(sidecar === undefined ? {} : { sidecar: sidecar.fields }) };
  const request = datasetRequest(object, found, { rule, scannerVersionsAs: deps.scannerVersionsAs });
  if (!request.ok) return { kind: 'park', reason: request.reason, detail: request.detail };

  const content = await contentOf(deps, work, { rule, head });
  if (content.kind !== 'content') return content;
  const { digest, checked } = content;
  const datasetKey = ledgerKeys.dataset(request.json, digest);
  return { kind: 'request', fields: request.fields, datasetKey, ...(checked === undefined ? {} : { checked }) };
}

/**
 * What is there under the key instead of this version, if anything. The bucket is asked, and not the order of events: the newest event may
 * be lost, the reconciler's messages carry no sequencer, and a deleted object is newest by no event of ours.
 */
async function whatReplacedIt(deps: UploadDeps, { object }: UploadWork): Promise<string | undefined> {
  const { bucket, key, versionId } = object;
  const current = await deps.objects.head({ bucket, key });
  if (current === undefined) return 'the key was deleted after this version';
  if (current.versionId === versionId) return undefined;
  return `version ${current.versionId ?? 'without an id'} is the newest of the key`;
}

type Content =
  | { readonly kind: 'content'; readonly digest: string; readonly checked?: CheckedFile }
  | Extract<Prepared, { kind: 'park' }>;

async function contentOf(
  deps: UploadDeps,
  work: UploadWork,
  { rule, head }: { readonly rule: ResolvedDatasetRule; readonly head: ObjectHead },
): Promise<Content> {
  const { key, etag, versionKey } = work.object;
  // Where nobody reads the bytes, the store's own tag stands for them.
  if (rule.check === 'none') return { kind: 'content', digest: head.etag || etag || versionKey };
  const content = await deps.checking(async () => checkedContent(deps.objects, versionOf(work), head));
  if (content.kind === 'gone') return gone(work);
  if (content.kind === 'park') return content;
  const { digest, checked } = content;
  work.context.log.info(logEvents.datasetChecked, 'the file passed its check', { key, ...checked });
  return { kind: 'content', digest, checked };
}

function versionOf({ object }: UploadWork): ObjectVersion {
  const { bucket, key, versionId } = object;
  return { bucket, key, ...(versionId === undefined ? {} : { versionId }) };
}

function gone({ object }: UploadWork): Extract<Prepared, { kind: 'park' }> {
  const version = object.versionId === undefined ? 'the object' : `version ${object.versionId}`;
  return { kind: 'park', reason: 'OBJECT_GONE', detail: `${version} was deleted before it could be read` };
}
