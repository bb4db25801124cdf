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
