import { createHash } from 'node:crypto';
import type { ResolvedDatasetRule } from '../../shared/config/resolved-automation.ts';
import type { ObjectHead, ObjectVersion } from '../../shared/aws/object-store.ts';
import { ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import type { ParkReason } from '../../shared/vocabulary/reason-codes.ts';
import { type DatasetFields, datasetRequest } from './dataset-request.ts';
import { checkPromptLabelCsv, maxPromptLabelBytes } from './prompt-label-csv.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/** What is to be sent, and the key under which its content is reserved; or why it never will be. */
export type Prepared =
  | { readonly kind: 'request'; readonly fields: DatasetFields; readonly datasetKey: string }
  | { readonly kind: 'park'; readonly reason: ParkReason; readonly detail: string };

/** Looks at this very version, makes the request and checks the content where the rule says so. Sends nothing. */
export async function prepareUpload(deps: UploadDeps, work: UploadWork, rule: ResolvedDatasetRule): Promise<Prepared> {
  const { object } = work;
  const version = versionOf(work);
  const head = await deps.objects.head(version);
  if (head === undefined) return gone(work);
  const request = datasetRequest(object, head, rule);
  if (!request.ok) return { kind: 'park', reason: 'FILE_ID_MISSING', detail: request.detail };

  const content = rule.check === 'none' ? unread(work, head) : await checkedContent(deps, work, head);
  if (content.kind === 'park') return content;
  return { kind: 'request', fields: request.fields, datasetKey: ledgerKeys.dataset(request.json, content.digest) };
}

type Content = { readonly kind: 'digest'; readonly digest: string } | Extract<Prepared, { kind: 'park' }>;

/** Where nobody reads the bytes, the store's own tag stands for them. */
function unread({ object }: UploadWork, head: ObjectHead): Content {
  return { kind: 'digest', digest: head.etag || object.etag || object.versionKey };
}

async function checkedContent(deps: UploadDeps, work: UploadWork, head: ObjectHead): Promise<Content> {
  if (head.sizeBytes > maxPromptLabelBytes) {
    const detail = `the object has ${head.sizeBytes} bytes, the check prompt-label-csv takes ${maxPromptLabelBytes}`;
    return { kind: 'park', reason: 'OBJECT_TOO_LARGE', detail };
  }
  const bytes = await deps.objects.read(versionOf(work));
  if (bytes === undefined) return gone(work);

  const check = checkPromptLabelCsv(bytes);
  if (!check.ok) {
    const more = check.more === 0 ? '' : `; and ${check.more} more`;
    return { kind: 'park', reason: 'CHECK_FAILED', detail: `prompt-label-csv: ${check.problems.join('; ')}${more}` };
  }
  const { rows, blocking } = check;
  work.context.log.info(logEvents.datasetChecked, 'the file passed its check', {
    key: work.object.key,
    rows,
    blocking,
  });
  return { kind: 'digest', digest: createHash('sha256').update(bytes).digest('hex') };
}

function versionOf({ object }: UploadWork): ObjectVersion {
  const { bucket, key, versionId } = object;
  return { bucket, key, ...(versionId === undefined ? {} : { versionId }) };
}

function gone({ object }: UploadWork): Extract<Prepared, { kind: 'park' }> {
  const version = object.versionId === undefined ? 'the object' : `version ${object.versionId}`;
  return { kind: 'park', reason: 'OBJECT_GONE', detail: `${version} was deleted before it could be read` };
}
