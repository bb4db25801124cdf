import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { keyOfSidecar } from '#shared/uploads/dataset-sidecar.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import { objectPrefixes } from '#shared/vocabulary/object-prefixes.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import type { UploadDeps } from './upload-work.ts';

/** Whether an object is ours to register. */
export type Triage =
  | { readonly kind: 'register'; readonly rule: ResolvedDatasetRule }
  | { readonly kind: 'ignore'; readonly detail: string }
  | { readonly kind: 'foreign'; readonly detail: string };

/** Decides by the event alone: a foreign one makes no call to S3. Pure. */
export function triage(object: ObjectCreated, ours: Pick<UploadDeps, 'bucket' | 'config'>): Triage {
  if (object.bucket !== ours.bucket) return { kind: 'foreign', detail: `the bucket ${object.bucket} is not ours` };
  if (!object.key.startsWith(objectPrefixes.datasets)) {
    return { kind: 'foreign', detail: `the key is not below ${objectPrefixes.datasets}` };
  }
  if (isFolderMarker(object)) return { kind: 'ignore', detail: 'an empty object that stands for a folder' };
  const described = keyOfSidecar(object.key);
  if (described !== undefined) return { kind: 'ignore', detail: `the sidecar of ${described}` };
  const rule = chooseRule(ours.config.datasetRules, object.key);
  return rule === undefined
    ? { kind: 'ignore', detail: 'no rule for datasets has a prefix of this key' }
    : { kind: 'register', rule };
}
