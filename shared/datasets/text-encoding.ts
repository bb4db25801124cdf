import { isUtf8 } from 'node:buffer';

/** A text that is not UTF-8, and the line on which it is not. */
export class NotUtf8Error extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} is not UTF-8`);
    this.line = line;
  }
}

/**
 * Passes the pieces of a text on, cut between characters.
 * @throws NotUtf8Error as soon as a piece is not UTF-8
 */
export async function* utf8Chunks(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let line = 1;
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([begun, chunk]);
    const end = endOfCharacters(bytes);
    const whole = bytes.subarray(0, end);
    begun = bytes.subarray(end);
    if (!isUtf8(whole)) throw new NotUtf8Error(line + linesBeforeBad(whole));
    line += lineBreaks(whole);
    yield whole;
  }
  if (begun.length > 0) throw new NotUtf8Error(line);
}

/** Where the last whole character ends: what follows is the beginning of one. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinued = (byte & 0xc0) === 0x80;
    if (isContinued) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** A line break is never part of another character in UTF-8, so each line can be looked at alone. */
function linesBeforeBad(bytes: Buffer): number {
  let lines = 0;
  for (let from = 0; from < bytes.length; lines += 1) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to;
  }
  return lines;
}

function lineBreaks(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
