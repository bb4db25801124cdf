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

/**
 * The text of a file; or what is wrong with its bytes. `readings` is content of the file: its first
 * odd cell in other encodings.
 */
export type DecodedText =
  | { readonly text: string; readonly encoding: TextEncoding }
  | { readonly problem: string; readonly readings: string };

/**
 * Decodes a file by its mark. Pure.
 * @param named - the encoding of a text without a mark
 */
export function decodeText(file: Buffer, named: TextEncoding = 'utf-8'): DecodedText {
  const [encoding, { length }] = marks.find(([, mark]) => mark.every((byte, index) => file[index] === byte)) ?? [
    named,
    [],
  ];
  const bytes = file.subarray(length);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    if (encoding === 'utf-8') return notUtf8(bytes);
    return { problem: `the file is not whole ${encoding.toUpperCase()}: half a character is in it`, readings: '' };
  }
}

function notUtf8(bytes: Buffer): DecodedText {
  // Each byte that is not UTF-8 is replaced.
  const replaced = Buffer.from(bytes.toString());
  const at = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const line = 1 + breaksIn(bytes.subarray(0, at));
  return {
    problem: `line ${line} is not UTF-8: save it as UTF-8, or give --convert and the --encoding that it has`,
    readings: readingsOf(cellAround(bytes, at)),
  };
}

/** Line feeds, or the carriage returns of an old Mac. */
function breaksIn(bytes: Buffer): number {
  const count = (sign: number) => bytes.reduce((sum, byte) => sum + (byte === sign ? 1 : 0), 0);
  return Math.max(count(0x0a), count(0x0d));
}

/** Encodings of the field, in the order in which they are shown. */
const candidates = ['windows-1252', 'windows-1251', 'gb18030', 'shift_jis', 'euc-kr', 'macintosh'] as const;
const longestReading = 40;

/** Line ends, tab, comma and semicolon. */
function separates(byte: number): boolean {
  return [0x0a, 0x0d, 0x09, 0x2c, 0x3b].includes(byte);
}

/** The bytes of a cell, up to what separates it from others: no multi-byte encoding has those signs inside of a character. */
function cellAround(bytes: Buffer, at: number): Buffer {
  const begin = bytes.subarray(0, at).findLastIndex(separates) + 1;
  const cell = bytes.subarray(begin, at + 4 * longestReading);
  const end = cell.findIndex((byte, index) => index >= at - begin && separates(byte));
  return cell.subarray(0, end < 0 ? undefined : end).subarray(0, 4 * longestReading);
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
