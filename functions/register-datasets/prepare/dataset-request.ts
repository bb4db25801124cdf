import type { DatasetField } from '#shared/config/names.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import type { CreateDatasetInput } from '#shared/gateway-client/index.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { SidecarFields } from '#shared/uploads/dataset-sidecar.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';
import { fillTemplate } from '#shared/uploads/dataset-rule.ts';
import { decodeMetadataText } from './metadata-text.ts';
import {
  type ScannerVersions,
  type ScannerVersionsAs,
  versionsInMetadata,
  versionsToSend,
} from './scanner-versions.ts';

/** The fields that a dataset is made of; absent ones are not sent. */
export type DatasetFields = Pick<
  CreateDatasetInput,
  'fileId' | 'name' | 'scannerId' | 'scannerPackageId' | 'scannerVersions'
> & { readonly fileId: string };

/** The request of an upload, or why there is none. */
export type DatasetRequest =
  | { readonly ok: true; readonly fields: DatasetFields; readonly json: string }
  | { readonly ok: false; readonly reason: ParkReason; readonly detail: string };

/** What an object version says of itself. */
export interface UploadFound {
  readonly metadata: Readonly<Record<string, string>>;
  /** As HEAD says it. */
  readonly etag: string;
  /** Where its rule requires one. */
  readonly sidecar?: SidecarFields;
}

/** What the texts of a request are called in an object's metadata, after `x-amz-meta-`. */
const metadataNames = {
  fileId: 'file-id',
  name: 'name',
  scannerId: 'scanner-id',
  scannerPackageId: 'scanner-package-id',
} as const;

/** What one place says of a dataset. */
type SaidFields = Readonly<Partial<Record<Exclude<DatasetField, 'scannerVersions'>, string>>> & {
  readonly scannerVersions?: ScannerVersions;
};

/** How a rule makes requests. */
interface RequestRule {
  readonly rule: ResolvedDatasetRule;
  readonly scannerVersionsAs?: ScannerVersionsAs;
}

/**
 * Makes the request: each field from the object's own metadata (`x-amz-meta-file-id`, …), else from its sidecar, else from the rule. A field that the
 * rule locks comes from the rule. Pure.
 */
export function datasetRequest(object: ObjectCreated, found: UploadFound, by: RequestRule): DatasetRequest {
  const { rule, scannerVersionsAs } = by;
  const { sidecar = {} } = found;
  const own = fieldsInMetadata(found.metadata, scannerVersionsAs);
  const ofRule = fieldsOfRule(rule, { ...object, etag: found.etag });
  const changed = rule.locked.find(
    (field) => changes(own[field], ofRule[field]) || changes(sidecar[field], ofRule[field]),
  );
  if (changed !== undefined) {
    const where = changes(own[changed], ofRule[changed]) ? 'the metadata of the object' : 'its sidecar';
    const detail = `${where} sets ${changed}, which the rule for ${rule.prefix} locks`;
    return { ok: false, reason: 'CHECK_FAILED', detail };
  }

  const said = { ...ofRule, ...definedOnly(sidecar), ...definedOnly(own) };
  const { fileId, name, scannerId, scannerPackageId, scannerVersions: versions } = said;
  if (fileId === undefined) return { ok: false, reason: 'FILE_ID_MISSING', detail: fileIdDetail(rule, object) };
  const scannerVersions = versions === undefined ? undefined : versionsToSend(versions, scannerVersionsAs);
  if (versions !== undefined && scannerVersions === undefined) {
    return { ok: false, reason: 'BAD_SIDECAR', detail: manyVersionsDetail };
  }
  const fields = definedOnly({ fileId, name, scannerId, scannerPackageId, scannerVersions });
  return { ok: true, fields: { ...fields, fileId }, json: JSON.stringify(fields) };
}

function fieldsInMetadata(metadata: UploadFound['metadata'], as: ScannerVersionsAs): SaidFields {
  const own = (name: string) => nonEmpty(decodeMetadataText(metadata[name] ?? ''));
  return {
    fileId: own(metadataNames.fileId),
    name: own(metadataNames.name),
    scannerId: own(metadataNames.scannerId),
    scannerPackageId: own(metadataNames.scannerPackageId),
    scannerVersions: versionsInMetadata(own('scanner-versions'), as),
  };
}

function fieldsOfRule(rule: ResolvedDatasetRule, object: Parameters<typeof fillTemplate>[1]): SaidFields {
  const { scannerId, scannerPackageId, scannerVersions } = rule;
  const filled = (template: string | undefined) => nonEmpty(fillTemplate(template ?? '', object));
  return { fileId: filled(rule.fileId), name: filled(rule.name), scannerId, scannerPackageId, scannerVersions };
}

/** Whether an upload says something else than the rule; the same again changes nothing. */
function changes(said: ScannerVersions | undefined, ofRule: ScannerVersions | undefined): boolean {
  return said !== undefined && [said].flat().join() !== [ofRule ?? []].flat().join();
}

// Synth refuses such a rule, and metadata knows no lists: only a sidecar can come to this.
const manyVersionsDetail =
  'scannerVersions lists several, and gateway.scannerVersionsAs does not say how this gateway takes them';

function fileIdDetail(rule: ResolvedDatasetRule, object: ObjectCreated): string {
  if (rule.fileId === undefined) {
    const others =
      rule.sidecar === undefined ? 'no metadata file-id' : 'neither metadata file-id nor one in its sidecar';
    return `the object has ${others} and the rule for ${rule.prefix} has no fileId template`;
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
