import { isUtf8 } from 'node:buffer';

/** How the text of a file is encoded. `windows-1252` and `macintosh` have no mark: a person names them. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'macintosh';

/** Encodings that a person may name. */
export const namedEncodings = ['windows-1252', 'macintosh'] as const satisfies readonly TextEncoding[];

/** What the first bytes of a file say. */
export type TextStart =
  | { readonly kind: 'text'; readonly encoding: TextEncoding; readonly markBytes: number }
  | { readonly kind: 'binary'; readonly what: string };

/** Marks at the start of a text: https://www.unicode.org/faq/utf_bom.html, "What are some of the differences between the UTFs?". */
const marks: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** First bytes of files that people take for a table of text. */
const binaries: readonly (readonly [string, readonly number[]])[] = [
  ['an Excel workbook (.xlsx) or another ZIP file', [0x50, 0x4b, 0x03, 0x04]],
  ['an old Excel workbook (.xls)', [0xd0, 0xcf, 0x11, 0xe0]],
  ['compressed (gzip)', [0x1f, 0x8b]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46]],
  ['a Parquet file', [0x50, 0x41, 0x52, 0x31]],
];

/** Enough bytes to know every mark. */
export const startBytes = 4;

/** Tells the encoding by the first bytes of a file. Pure. */
export function textStart(bytes: Uint8Array): TextStart {
  const begins = (mark: readonly number[]) => mark.every((byte, index) => bytes[index] === byte);
  const binary = binaries.find(([, mark]) => begins(mark));
  if (binary !== undefined) return { kind: 'binary', what: binary[0] };
  const marked = marks.find(([, mark]) => begins(mark));
  if (marked !== undefined) return { kind: 'text', encoding: marked[0], markBytes: marked[1].length };
  return { kind: 'text', encoding: 'utf-8', markBytes: 0 };
}

/** A text whose bytes are not of its encoding. */
export class UndecodableError extends Error {}

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
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk]);
    const whole = wholeCharacters(bytes);
    const good = bytes.subarray(0, whole);
    line += breaksIn(good);
    yield good;
    held = bytes.subarray(whole);
    if (held.length > mostHeld) throw notUtf8(line, held);
  }
  if (held.length > 0) throw notUtf8(line, held);
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

function notUtf8(line: number, [byte = 0]: Buffer): UndecodableError {
  return new UndecodableError(
    `line ${line} is not UTF-8 (${byteInWords(byte)}): save it as UTF-8, or name its --encoding`,
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

/** What a byte that is not UTF-8 would be in the encodings that have no mark. Pure. */
function byteInWords(byte: number): string {
  const names = { 'windows-1252': 'Windows-1252', macintosh: 'Mac Roman' } as const;
  const readings = namedEncodings.flatMap((encoding) => {
    const character = new TextDecoder(encoding).decode(Uint8Array.of(byte));
    return /\p{C}/u.test(character) ? [] : [`"${character}" in ${names[encoding]}`];
  });
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  return `its byte ${hex}${readings.length === 0 ? '' : ` is ${readings.join(' or ')}`}`;
}
