/** What can be said of a file at once, before its bytes go anywhere. The rules themselves are judged by the console's process. */

/** Sentences about the name, the size, the encoding and the header line. Pure. */
export function lookAtOnce(name: string, bytes: Uint8Array): readonly string[] {
  if (bytes.length === 0) return ['The file is empty.'];
  const text = decoded(bytes);
  if (text === undefined) return ['The file is not UTF-8. Save it as UTF-8, or name its encoding to autopilot check.'];
  if (/\.(?:json|jsonl)$/i.test(name)) return [];
  const [header = ''] = text.split(/\r?\n/, 1);
  return /(?:^|[,;\t"])prompt(?:$|[,;\t"])/i.test(header) ? [] : ['The first line names no column "prompt".'];
}

/** As UTF-8, or as UTF-16 if its first bytes say so; undefined if it is neither. */
function decoded(bytes: Uint8Array): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
