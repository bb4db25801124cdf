import * as z from 'zod';

/** S3 allows this many bytes of UTF-8 in a key. */
const maxKeyBytes = 1024;

/**
 * Decodes the key of an S3 event: events carry keys form-URL-encoded. Total.
 * @returns `undefined` for what is no encoded key
 * @example decodeObjectKey('datasets/a+b%2B.csv'); // 'datasets/a b+.csv'
 */
export function decodeObjectKey(rawKey: string): string | undefined {
  let key: string;
  try {
    key = decodeURIComponent(rawKey.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
  // A lone surrogate has no UTF-8 form: asking S3 for such a key would ask for another one.
  if (key === '' || !key.isWellFormed() || Buffer.byteLength(key) > maxKeyBytes) return undefined;
  return key;
}

/** Encodes a key as S3 does in an event. Slashes stay, a space is `+`. */
export function encodeObjectKey(key: string): string {
  return encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
}

/** Consoles make an empty object whose key ends with a slash to show an empty folder. */
export function isFolderMarker(object: { readonly key: string; readonly sizeBytes: number }): boolean {
  return object.sizeBytes === 0 && object.key.endsWith('/');
}

/** An object version that was created, as a message about it says it. */
export interface CreatedVersion {
  readonly bucket: string;
  /** As it is, not encoded. */
  readonly key: string;
  readonly versionId: string;
  readonly etag: string;
  readonly sizeBytes: number;
  /** RFC 3339. */
  readonly eventTime: string;
}

/**
 * The message that S3 would have sent about an object version. S3 has no such event name: a kept
 * message tells who sent it.
 */
export function objectCreatedMessage(version: CreatedVersion): string {
  const { bucket, key, versionId, etag, sizeBytes, eventTime } = version;
  const object = { key: encodeObjectKey(key), size: sizeBytes, eTag: etag, versionId };
  const s3 = { bucket: { name: bucket }, object };
  const record = { eventVersion: '2.1', eventSource: 'aws:s3', eventTime, eventName: 'ObjectCreated:Reconciled', s3 };
  return JSON.stringify({ Records: [record] });
}

/**
 * The sidecar of an upload, for people whose tools cannot set metadata: a JSON file with the fields
 * of its dataset.
 */
const suffix = '.dataset.json';

/** More than a dataset's request may hold is a mistake. */
export const maxSidecarBytes = 16 * 1024;

/** The key of the sidecar that describes an upload. */
export function sidecarKeyOf(key: string): string {
  return `${key}${suffix}`;
}

/** The key that a sidecar describes; `undefined` for a key that is no sidecar's. */
export function keyOfSidecar(key: string): string | undefined {
  const described = key.endsWith(suffix) ? key.slice(0, -suffix.length) : '';
  return described === '' || described.endsWith('/') ? undefined : described;
}

const word = z.string().refine((text) => text.trim() !== '', 'is empty');
const document = z.strictObject({
  fileId: word.optional(),
  name: word.optional(),
  scannerId: word.optional(),
  scannerPackageId: word.optional(),
  scannerVersions: z.union([word, z.array(word).min(1)], 'is neither a text nor a list of texts').optional(),
});

/** The fields of a dataset as its sidecar gives them. */
export type SidecarFields = z.output<typeof document>;

/** A sidecar read, or everything that is wrong with it. */
export type ParsedSidecar =
  | { readonly ok: true; readonly fields: SidecarFields }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a sidecar strictly: an unknown key is a mistyped key. Total; returns every problem at once,
 * by the names of keys and never by their values.
 */
export function parseSidecar(bytes: Uint8Array): ParsedSidecar {
  let input: unknown;
  try {
    input = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problems: ['it is not JSON in UTF-8'] };
  }
  const parsed = document.safeParse(input);
  return parsed.success
    ? { ok: true, fields: parsed.data }
    : { ok: false, problems: parsed.error.issues.flatMap(sentencesOf) };
}

function sentencesOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(document.shape).join(', ');
    return issue.keys.map((key) => `${JSON.stringify(key.slice(0, 40))} is no field of a dataset (known: ${known})`);
  }
  const [field, index] = issue.path;
  if (field === undefined) return ['it is no JSON object'];
  const where = index === undefined ? String(field) : `${String(field)}[${String(index)}]`;
  return [`${where} ${issue.code === 'custom' ? issue.message : wrongType(issue)}`];
}

function wrongType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return 'is empty';
  return issue.code === 'invalid_union' ? issue.message : 'is no text';
}
