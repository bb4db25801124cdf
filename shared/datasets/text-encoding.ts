import { isUtf8 } from 'node:buffer';

/** How the text of a file is encoded: the name that `TextDecoder` has for it. */
export type TextEncoding = string;

/** The encoding that a label names, as `TextDecoder` knows it; `undefined`: it knows none. */
export function encodingNamed(label: string): TextEncoding | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Marks at the start of a text: https://www.unicode.org/faq/utf_bom.html, "What are some of the differences between the UTFs?". */
const marks: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding that the first bytes of a text are the mark of. Pure. */
export function textMark(bytes: Uint8Array): { readonly encoding: TextEncoding; readonly bytes: number } | undefined {
  const found = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  return found && { encoding: found[0], bytes: found[1].length };
}

/** A text whose bytes are not of its encoding. */
export class UndecodableError extends Error {
  /** How the first such cell reads in other encodings: content of the file. */
  readonly readings: string;

  constructor(
    message: string,
    { readings = '', cause }: { readonly readings?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.readings = readings;
  }
}

/**
 * Passes a text on as UTF-8.
 * @throws UndecodableError for a byte that is not UTF-8, or half a character of UTF-16
 */
export async function* asUtf8(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: TextEncoding,
): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') return yield* checkedUtf8(chunks);
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of chunks) yield decoded(() => decoder.decode(chunk, { stream: true }), encoding);
  yield decoded(() => decoder.decode(), encoding);
}

/** The longest character of UTF-8 has four bytes. */
const mostHeld = 3;

/** Passes whole characters on, up to the first byte that is none. */
async function* checkedUtf8(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  let before = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk]);
    const whole = wholeCharacters(bytes);
    const good = bytes.subarray(0, whole);
    line += breaksIn(good);
    yield good;
    held = bytes.subarray(whole);
    if (good.length > 0) before = good;
    if (held.length > mostHeld) throw notUtf8(line, before, held);
  }
  if (held.length > 0) throw notUtf8(line, before, held);
}

/** The length of the longest beginning that is UTF-8. */
function wholeCharacters(bytes: Buffer): number {
  for (let held = 0; held <= mostHeld && held <= bytes.length; held += 1) {
    if (isUtf8(bytes.subarray(0, bytes.length - held))) return bytes.length - held;
  }
  let [good, bad] = [0, bytes.length];
  // A part of a good text is good, once what is cut off at its end is left out.
  while (good + 1 < bad) {
    const middle = Math.floor((good + bad) / 2);
    const whole = [0, 1, 2, 3].find((back) => back <= middle && isUtf8(bytes.subarray(0, middle - back)));
    if (whole === undefined) bad = middle;
    else good = middle;
  }
  for (let length = good; length > 0; length -= 1) if (isUtf8(bytes.subarray(0, length))) return length;
  return 0;
}

/** Line feeds, or the carriage returns of an old Mac. */
function breaksIn(bytes: Buffer): number {
  let [feeds, returns] = [0, 0];
  for (const byte of bytes) {
    if (byte === 0x0a) feeds += 1;
    else if (byte === 0x0d) returns += 1;
  }
  return Math.max(feeds, returns);
}

function notUtf8(line: number, before: Uint8Array, behind: Uint8Array): UndecodableError {
  return new UndecodableError(
    `line ${line} is not UTF-8: save it as UTF-8, or give --convert and the --encoding that it has`,
    {
      readings: readingsOf(cellAround(Buffer.from(before), Buffer.from(behind))),
    },
  );
}

function decoded(decode: () => string, encoding: TextEncoding): Buffer {
  try {
    return Buffer.from(decode());
  } catch (error) {
    throw new UndecodableError(`the file is not whole ${encoding.toUpperCase()}: half a character is in it`, {
      cause: error,
    });
  }
}

/** Encodings of the field, in the order in which they are shown. */
const candidates = ['windows-1252', 'windows-1251', 'gb18030', 'shift_jis', 'euc-kr', 'macintosh'] as const;
const longestReading = 40;

/** Line ends, tab, comma and semicolon. */
function separates(byte: number): boolean {
  return [0x0a, 0x0d, 0x09, 0x2c, 0x3b].includes(byte);
}

/** The bytes of a cell, up to what separates it from others: no multi-byte encoding has those signs inside of a character. */
function cellAround(before: Buffer, behind: Buffer): Buffer {
  const end = behind.findIndex(separates);
  const begin = before.findLastIndex(separates);
  const cell = Buffer.concat([before.subarray(begin + 1), end < 0 ? behind : behind.subarray(0, end)]);
  return cell.subarray(0, 4 * longestReading);
}

function readingsOf(cell: Buffer): string {
  const read = candidates.flatMap((encoding) => {
    const text = new TextDecoder(encoding).decode(cell).trim();
    // A decoder that replaced something does not fit; a cell cut at its end may.
    return /[\p{Cc}\p{Co}]|\uFFFD(?!$)/u.test(text)
      ? []
      : [`${encoding}: ${text.replace(/\uFFFD$/, '').slice(0, longestReading)}`];
  });
  return read.length === 0 ? '' : `. Its first such cell reads, in ${read.join('; in ')}`;
}
