/**
 * Reads a value of user metadata as the person meant it. HTTP headers carry ASCII only, so clients encode the rest, each in its own way:
 * S3 itself hands out RFC 2047 words, scripts percent-encode, some send raw UTF-8 that arrives as Latin-1. What is none of these stays
 * as it is. Total.
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
    // A charset that nobody knows, or bytes that are not of it: the word stays as it came.
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
