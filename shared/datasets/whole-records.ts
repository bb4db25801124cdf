import { isUtf8 } from 'node:buffer';
import { byteInWords } from './text-encoding.ts';

/** The longest row. A prompt is a few kB; a longer row is a quote that is never closed, or meant to fill the memory. */
const mostRecordBytes = 1_000_000;

/** A file of prompts has two columns. A parser makes a field of each, so their number is bounded before it sees them. */
export const mostColumns = 16;

/**
 * How records are separated, and why reading stopped. The reader sets `delimiter` after the first
 * record.
 */
export interface RecordLayout {
  /** Records are lines, and quotes mean nothing. */
  isLines: boolean;
  /** The byte between columns. `undefined`: not known yet: one record at a time is passed on, and columns are not counted. */
  delimiter?: number;
  /** Reading ended before the end of the text: the line on which the bad record begins, and what is wrong with it. */
  stop?: { readonly line: number; readonly problem: string };
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const likelyDelimiters: ReadonlySet<number> = new Set(Buffer.from(',;\t'));

/**
 * Cuts a text into pieces of whole records; until the delimiter is known, each piece is one record,
 * with the blank lines before it. Each record is short, has few columns and is UTF-8. A parser
 * holds a whole record, with a field for each comma in it. A file with 9.9 MB of commas took a
 * function of 512 MB to 600. At a record that is not so, it sets `layout.stop` and ends: a parser
 * has then seen every record before it.
 */
export async function* wholeRecords(chunks: AsyncIterable<Buffer>, layout: RecordLayout): AsyncGenerator<Buffer> {
  const cutting: Cutting = { scan: new RecordScan(layout), held: Buffer.alloc(0), heldLine: 1 };
  for await (const chunk of chunks) {
    yield* cut(chunk, cutting, layout);
    if (layout.stop !== undefined) return;
  }
  const { held, heldLine } = cutting;
  yield* checked(held, heldLine, layout);
}

/** What is kept between two pieces: a record that has not ended, and the line on which it begins. */
interface Cutting {
  readonly scan: RecordScan;
  held: Buffer;
  heldLine: number;
}

function* cut(chunk: Buffer, cutting: Cutting, layout: RecordLayout): Generator<Buffer> {
  const { scan, held } = cutting;
  const bytes = joined(held, chunk);
  let from = 0;
  let whole = 0;
  for (let at = held.length; at < bytes.length && layout.stop === undefined; at += 1) {
    const byte = bytes[at] ?? 0;
    if (scan.endsBefore(byte)) {
      whole = at;
      if (scan.hasText && isSingle(layout)) {
        yield* checked(bytes.subarray(from, at), cutting.heldLine, layout);
        from = at;
        cutting.heldLine = scan.line;
      }
      scan.begin();
    }
    scan.take(byte);
    const problem = scan.problem();
    if (problem === undefined) continue;
    yield* checked(bytes.subarray(from, Math.max(from, whole)), cutting.heldLine, layout);
    layout.stop ??= { line: scan.beginsOn, problem };
  }
  if (layout.stop !== undefined) return;
  const end = isSingle(layout) ? from : Math.max(from, whole);
  yield* checked(bytes.subarray(from, end), cutting.heldLine, layout);
  if (end > from) cutting.heldLine = scan.beginsOn;
  cutting.held = bytes.subarray(end);
}

function joined(held: Buffer, chunk: Buffer): Buffer {
  return held.length === 0 ? chunk : Buffer.concat([held, chunk]);
}

/** Returns true if each record is a piece. Asked again after each piece: the reader sets the delimiter then. */
function isSingle({ isLines, delimiter }: RecordLayout): boolean {
  return !isLines && delimiter === undefined;
}

/** Passes the records on that are UTF-8, up to the first that is not. */
function* checked(bytes: Buffer, firstLine: number, layout: RecordLayout): Generator<Buffer> {
  if (isUtf8(bytes)) {
    if (bytes.length > 0) yield bytes;
    return;
  }
  const bad = badByteIn(bytes);
  const scan = new RecordScan(layout, firstLine);
  let start = 0;
  for (let at = 0; at <= bad; at += 1) {
    const byte = bytes[at] ?? 0;
    if (scan.endsBefore(byte)) {
      start = at;
      scan.begin();
    }
    scan.take(byte);
  }
  if (start > 0) yield bytes.subarray(0, start);
  layout.stop = {
    line: scan.line,
    problem: `is not UTF-8 (${byteInWords(bytes[bad] ?? 0)}): save it as UTF-8, or name its --encoding`,
  };
}

/** The position of the first byte that is not UTF-8. */
function badByteIn(bytes: Buffer): number {
  // A line break is never part of another character, so each line can be looked at alone.
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(lineFeed, from);
    const to = end === -1 ? bytes.length : end + 1;
    const line = bytes.subarray(from, to);
    if (!isUtf8(line)) return from + wholeCharacters(line);
    from = to;
  }
  return bytes.length;
}

/** The length of the longest beginning that is UTF-8. */
function wholeCharacters(line: Buffer): number {
  let good = 0;
  let bad = line.length;
  // A beginning that ends within a character counts as good if three more bytes at most make it whole.
  const isGood = (length: number) =>
    [0, 1, 2, 3].some((back) => back <= length && isUtf8(line.subarray(0, length - back)));
  while (good + 1 < bad) {
    const middle = Math.floor((good + bad) / 2);
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  for (let length = good; length >= 0; length -= 1) if (isUtf8(line.subarray(0, length))) return length;
  return 0;
}

/**
 * Follows a text byte by byte, and knows the end of each record. A quote opens a field only at the
 * field's start, as in the parser.
 */
class RecordScan {
  /** The line of the byte that comes next. */
  line: number;
  /** The line on which the record in hand begins. */
  beginsOn: number;
  /** Says whether the record in hand holds more than line breaks. */
  hasText = false;
  readonly #layout: RecordLayout;
  #length = 0;
  #columns = 1;
  #isQuoted = false;
  #isClosing = false;
  #isAtFieldStart = true;
  #hasEnded = false;
  #last = 0;

  constructor(layout: RecordLayout, line = 1) {
    this.#layout = layout;
    this.line = line;
    this.beginsOn = line;
  }

  /** Returns true if the record in hand is over and this byte is the first of another. */
  endsBefore(byte: number): boolean {
    return this.#hasEnded && !(this.#last === carriageReturn && byte === lineFeed);
  }

  /** Begins another record. */
  begin(): void {
    this.#length = 0;
    this.#columns = 1;
    this.hasText = false;
    this.#isAtFieldStart = true;
    this.#hasEnded = false;
    this.beginsOn = this.line;
  }

  take(byte: number): void {
    const isBreak = byte === lineFeed || byte === carriageReturn;
    // CR LF is one line break.
    if (isBreak && !(byte === lineFeed && this.#last === carriageReturn)) this.line += 1;
    this.#last = byte;
    this.#length += 1;
    if (!isBreak) this.hasText = true;
    if (!this.#layout.isLines && this.#takesQuote(byte)) return;
    if (this.#isQuoted) return;
    this.#hasEnded = isBreak;
    const { delimiter } = this.#layout;
    this.#isAtFieldStart = delimiter === undefined ? likelyDelimiters.has(byte) : byte === delimiter;
    if (byte === delimiter) this.#columns += 1;
  }

  /** Says what is wrong with the record so far. */
  problem(): string | undefined {
    if (this.#length > mostRecordBytes) {
      return `is longer than ${mostRecordBytes.toLocaleString('en')} bytes: is a quote opened there and never closed?`;
    }
    return this.#columns > mostColumns
      ? `has more than ${mostColumns} columns: quote a prompt that holds commas`
      : undefined;
  }

  /** Returns true if the byte is a quote that opens, closes or doubles. */
  #takesQuote(byte: number): boolean {
    if (this.#isClosing) {
      this.#isClosing = false;
      if (byte === quote) return true;
      const { delimiter } = this.#layout;
      const isDelimiter = delimiter === undefined ? likelyDelimiters.has(byte) : byte === delimiter;
      // Anything else behind a closing quote is a mistake, and for the parser the field goes on.
      if (isDelimiter || byte === lineFeed || byte === carriageReturn) this.#isQuoted = false;
      return false;
    }
    if (byte !== quote) return false;
    if (this.#isQuoted) this.#isClosing = true;
    else if (this.#isAtFieldStart) this.#isQuoted = true;
    else return false;
    return true;
  }
}
