import type { DatasetField } from '#shared/config/schema/names.ts';
import type { ResolvedDatasetRule, ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import type { CreateDatasetInput } from '#shared/gateway-client/index.ts';
import { fillTemplate } from '#shared/uploads/dataset-rule.ts';
import { type LockedField, lockedFieldDetail } from '#shared/uploads/locked-field.ts';
import type { SidecarFields } from '#shared/uploads/object-key.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { ParkReason } from '#shared/vocabulary/reason-codes.ts';

/** The fields that a dataset is made of; absent ones are not sent. */
export type DatasetFields = Pick<
  CreateDatasetInput,
  'fileId' | 'name' | 'scannerId' | 'scannerPackageId' | 'scannerVersions'
>;

/** The request of an upload, or why there is none. */
export type DatasetRequest =
  | { readonly ok: true; readonly fields: DatasetFields }
  | { readonly ok: false; readonly reason: ParkReason; readonly detail: string; readonly locked?: LockedField };

/** Metadata, etag and sidecar of an object version. */
export interface UploadFound {
  readonly metadata: Readonly<Record<string, string>>;
  /** As HEAD says it. */
  readonly etag: string;
  /** Present if the rule requires one. */
  readonly sidecar?: SidecarFields;
}

/** What one place says of a dataset. */
type SaidFields = Readonly<Partial<Record<Exclude<DatasetField, 'scannerVersions'>, string>>> & {
  readonly scannerVersions?: readonly string[];
};

/** How a rule makes requests. */
interface RequestRule {
  readonly rule: ResolvedDatasetRule;
  readonly scannerVersionsAs?: ScannerVersionsAs;
}

/**
 * Makes the request: each field from the object's own metadata (`x-amz-meta-file-id`, …), else from
 * its sidecar, else from the rule. A field that the rule locks comes from the rule. Pure.
 */
export function datasetRequest(object: ObjectCreated, found: UploadFound, by: RequestRule): DatasetRequest {
  const { rule, scannerVersionsAs } = by;
  const own = fieldsInMetadata(found.metadata);
  const sidecar: SaidFields = { ...found.sidecar, scannerVersions: listedVersions(found.sidecar?.scannerVersions) };
  const ofRule = fieldsOfRule(rule, { ...object, etag: found.etag });
  const changed = rule.locked.find(
    (field) => changes(own[field], ofRule[field]) || changes(sidecar[field], ofRule[field]),
  );
  if (changed !== undefined) {
    const place = changes(own[changed], ofRule[changed]) ? 'metadata' : 'sidecar';
    const locked = { place, field: changed } as const;
    return { ok: false, reason: 'CHECK_FAILED', detail: lockedFieldDetail(locked, rule.prefix), locked };
  }

  const said = { ...ofRule, ...definedOnly(sidecar), ...definedOnly(own) };
  const { fileId, scannerId, scannerPackageId, scannerVersions: versions } = said;
  if (fileId === undefined && rule.file === undefined) {
    return { ok: false, reason: 'FILE_ID_MISSING', detail: fileIdDetail(rule, object) };
  }
  const scannerVersions = versions && versionsToSend(versions, scannerVersionsAs);
  // A dataset made of a file has to have a name.
  const name = said.name ?? (rule.file && object.key);
  return { ok: true, fields: definedOnly({ fileId, name, scannerId, scannerPackageId, scannerVersions }) };
}

/** By their names after `x-amz-meta-`. */
function fieldsInMetadata(metadata: UploadFound['metadata']): SaidFields {
  const own = (name: string) => nonEmpty(decodeMetadataText(metadata[name] ?? ''));
  return {
    fileId: own('file-id'),
    name: own('name'),
    scannerId: own('scanner-id'),
    scannerPackageId: own('scanner-package-id'),
    scannerVersions: listedVersions(own('scanner-versions')),
  };
}

function fieldsOfRule(rule: ResolvedDatasetRule, object: Parameters<typeof fillTemplate>[1]): SaidFields {
  const { scannerId, scannerPackageId, scannerVersions } = rule;
  const filled = (template: string | undefined) => nonEmpty(fillTemplate(template ?? '', object));
  return { fileId: filled(rule.fileId), name: filled(rule.name), scannerId, scannerPackageId, scannerVersions };
}

/** Returns true if the upload sets another value than the rule. */
function changes(said: string | readonly string[] | undefined, ofRule: typeof said): boolean {
  return said !== undefined && [said].flat().join() !== [ofRule ?? []].flat().join();
}

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

/**
 * The fields that are there, always in the same order: the digest of the request is its identity.
 */
function definedOnly<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/**
 * Reads a value of user metadata as the person meant it. HTTP headers carry ASCII only, so each
 * client encodes the rest in its own way. S3 itself returns RFC 2047 words, scripts percent-encode,
 * and some send raw UTF-8 that arrives as Latin-1. What is none of these stays as it is. Total.
 */
export function decodeMetadataText(value: string): string {
  const trimmed = value.trim();
  if (/=\?[^?\s]+\?[bq]\?[^?\s]*\?=/i.test(trimmed)) return decodeWords(trimmed);
  if (/%[0-9a-f]{2}/i.test(trimmed)) return percentDecoded(trimmed);
  return utf8FromLatin1(trimmed);
}

function decodeWords(text: string): string {
  // White space between two encoded words belongs to the encoding, not to the text.
  const joined = text.replaceAll(/(\?=)\s+(?==\?)/g, '$1');
  return joined.replaceAll(
    /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi,
    (word: string, charset: string, encoding: string, encoded: string) =>
      decodedBytes(charset, encoding.toLowerCase() === 'b' ? Buffer.from(encoded, 'base64') : quotedBytes(encoded)) ??
      word,
  );
}

function quotedBytes(encoded: string): Buffer {
  const latin1 = encoded
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(latin1, 'latin1');
}

function decodedBytes(charset: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // An unknown charset, or bytes that are not of it: the word stays as it came.
    return undefined;
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign of the text's own.
    return text;
  }
}

function utf8FromLatin1(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is Latin-1, control characters included
  if (!/[\u0080-\u00ff]/.test(text) || !/^[\u0000-\u00ff]*$/.test(text)) return text;
  return decodedBytes('utf-8', Buffer.from(text, 'latin1')) ?? text;
}

/** How scanner versions go out, as the configuration says it; `undefined`: as an array. */
type ScannerVersionsAs = ResolvedGateway['scannerVersionsAs'];

/** Versions as metadata or a sidecar have them: headers know no lists, so a text holds several between commas. */
function listedVersions(written: string | readonly string[] | undefined): readonly string[] | undefined {
  const versions = (typeof written === 'string' ? written.split(',') : (written ?? []))
    .map((version) => version.trim())
    .filter((version) => version !== '');
  return versions.length === 0 ? undefined : versions;
}

/** Versions as the gateway takes them, one like several. */
function versionsToSend(versions: readonly string[], as: ScannerVersionsAs): string | readonly string[] {
  if (as === 'comma-separated') return versions.join(',');
  return as === 'json-text' ? JSON.stringify(versions) : versions;
}
