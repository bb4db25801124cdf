import type { ResolvedDatasetRule } from '../../shared/config/resolved-automation.ts';
import type { CreateDatasetInput } from '../../shared/gateway-client/index.ts';
import type { ObjectCreated } from '../../shared/uploads/object-events.ts';
import { decodeMetadataText } from './metadata-text.ts';

/** The fields that a dataset is made of; absent ones are not sent. */
export type DatasetFields = Pick<
  CreateDatasetInput,
  'fileId' | 'name' | 'scannerId' | 'scannerPackageId' | 'scannerVersions'
> & { readonly fileId: string };

/** The request of an upload, or why it lacks its file id. */
export type DatasetRequest =
  | { readonly ok: true; readonly fields: DatasetFields; readonly json: string }
  | { readonly ok: false; readonly detail: string };

/** The rule of a key: the longest prefix that it starts with; `undefined`: no rule, so not for us. */
export function chooseRule(rules: readonly ResolvedDatasetRule[], key: string): ResolvedDatasetRule | undefined {
  return rules
    .filter((rule) => key.startsWith(rule.prefix))
    .reduce<ResolvedDatasetRule | undefined>(
      (longest, rule) => (longest === undefined || rule.prefix.length > longest.prefix.length ? rule : longest),
      undefined,
    );
}

/**
 * Makes the request: each field from the object's own metadata (`x-amz-meta-file-id`, …), else from the rule. Pure.
 * @param etag - of the version, as HEAD says it
 */
export function datasetRequest(
  object: ObjectCreated,
  found: { readonly metadata: Readonly<Record<string, string>>; readonly etag: string },
  rule: ResolvedDatasetRule,
): DatasetRequest {
  const own = (name: string) => nonEmpty(decodeMetadataText(found.metadata[name] ?? ''));
  const filled = (template: string | undefined) => fillTemplate(template ?? '', { ...object, etag: found.etag });

  const fileId = own('file-id') ?? nonEmpty(filled(rule.fileId));
  if (fileId === undefined) return { ok: false, detail: fileIdDetail(rule, object) };
  const fields = definedOnly({
    fileId,
    name: own('name') ?? nonEmpty(filled(rule.name)),
    scannerId: own('scanner-id') ?? rule.scannerId,
    scannerPackageId: own('scanner-package-id') ?? rule.scannerPackageId,
    scannerVersions: own('scanner-versions') ?? rule.scannerVersions,
  });
  return { ok: true, fields: { ...fields, fileId }, json: JSON.stringify(fields) };
}

function fillTemplate(template: string, object: Pick<ObjectCreated, 'bucket' | 'key' | 'versionId' | 'etag'>): string {
  const values: Readonly<Record<string, string>> = {
    bucket: object.bucket,
    key: object.key,
    stem: stemOf(object.key),
    versionId: object.versionId ?? '',
    etag: object.etag.replaceAll('"', ''),
  };
  return template.replaceAll(/\{(bucket|key|stem|versionId|etag)\}/g, (_match, name: string) => values[name] ?? '');
}

/** The file's name without folders and without its last extension. */
function stemOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

function fileIdDetail(rule: ResolvedDatasetRule, object: ObjectCreated): string {
  if (rule.fileId === undefined) {
    return `the object has no metadata file-id and the rule for ${rule.prefix} has no fileId template`;
  }
  const hint =
    rule.fileId.includes('{versionId}') && object.versionId === undefined ? ': the bucket keeps no versions' : '';
  return `the fileId template ${rule.fileId} of the rule for ${rule.prefix} gives an empty text${hint}`;
}

function nonEmpty(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The fields that are there, always in the same order: the digest of the request is its identity. */
function definedOnly<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
