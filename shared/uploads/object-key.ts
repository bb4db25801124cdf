/** S3 allows this many bytes of UTF-8 in a key. */
const maxKeyBytes = 1024;

/**
 * Decodes the key of an S3 event, once: events carry keys form-URL-encoded, with `+` for a space. Total.
 * @returns `undefined` for what is no encoded key: then nobody can say which object is meant
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

/**
 * Encodes a key as S3 does in an event: what `decodeObjectKey` takes back. Slashes stay, a space is `+`.
 * @throws URIError for a text that is not well-formed, which no key is
 * @example encodeObjectKey('datasets/a b+.csv'); // 'datasets/a+b%2B.csv'
 */
export function encodeObjectKey(key: string): string {
  return encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
}

/** Consoles make an empty object to show an empty folder: it is one only if it is empty *and* its key ends with a slash. */
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
 * The message that S3 would have sent about an object version, for the same worker to read: `parseObjectEvents` gives it back. Its event
 * name, `ObjectCreated:Reconciled`, is one that S3 does not use: a kept message tells who sent it.
 */
export function objectCreatedMessage(version: CreatedVersion): string {
  const { bucket, key, versionId, etag, sizeBytes, eventTime } = version;
  const object = { key: encodeObjectKey(key), size: sizeBytes, eTag: etag, versionId };
  const s3 = { bucket: { name: bucket }, object };
  const record = { eventVersion: '2.1', eventSource: 'aws:s3', eventTime, eventName: 'ObjectCreated:Reconciled', s3 };
  return JSON.stringify({ Records: [record] });
}
