import { type Delimiter, lineBreak, mostColumns, mostRecordBytes, tooLong } from './dataset-form.ts';
import { aboutRow, type FoundProblem, inRow, type Place } from './file-findings.ts';

/** Gets the records of a table. */
export interface RecordSink {
  /** Returns false if no more are wanted. */
  readonly record: (fields: readonly string[], place: Place) => boolean;
  readonly problem: (problem: FoundProblem) => void;
}

/** What stands at a place: a record, one that cannot be read, or one whose end is not there yet. */
type Found =
  | { readonly kind: 'record'; readonly fields: readonly string[]; readonly end: number; readonly breaks: number }
  | { readonly kind: 'bad'; readonly end: number; readonly problem: (place: Place) => FoundProblem }
  | { readonly kind: 'more'; readonly isQuoted: boolean };

/**
 * Reads records piece by piece, and counts rows as a spreadsheet does: an empty line is a row. Goes on behind a record that cannot be
 * read. Between tabs, a quote is a quote only if it begins and ends its field.
 */
export class TableParser {
  readonly #delimiter: Delimiter;
  readonly #sink: RecordSink;
  #rest = '';
  #place: Place = { row: 1, line: 1 };

  constructor(delimiter: Delimiter, sink: RecordSink) {
    this.#delimiter = delimiter;
    this.#sink = sink;
  }

  /** Leaves out lines that are no rows. */
  skipLines(count: number): void {
    this.#place = { row: 1, line: 1 + count };
  }

  /** Reads a piece; returns false if no more are wanted. */
  push(piece: string, isLast = false): boolean {
    const text = this.#rest + piece;
    let at = 0;
    while (at < text.length) {
      const found = new RecordReader(text, this.#delimiter, isLast).read(at);
      if (found.kind === 'more') {
        this.#rest = text.slice(at);
        if (this.#rest.length <= mostRecordBytes) return true;
        this.#sink.problem(tooLong(this.#place, found.isQuoted));
        return false;
      }
      if (!this.#take(found)) return false;
      at = found.end;
    }
    this.#rest = '';
    return true;
  }

  #take(found: Exclude<Found, { kind: 'more' }>): boolean {
    const place = this.#place;
    this.#place = { row: place.row + 1, line: place.line + 1 + (found.kind === 'record' ? found.breaks : 0) };
    if (found.kind === 'record') {
      const isBlank = found.fields.length === 0;
      return isBlank || this.#sink.record(found.fields, place);
    }
    this.#sink.problem(found.problem(place));
    // Without its first row nothing is known of the others.
    return place.row > 1;
  }
}

/** The fields of one line. */
export function fieldsOf(line: string, delimiter: Delimiter): readonly string[] {
  const found = new RecordReader(line, delimiter, true).read(0);
  return found.kind === 'record' ? found.fields : [line];
}

const quote = '"';

/** Reads the record that begins at a place of a text. */
class RecordReader {
  readonly #text: string;
  readonly #delimiter: Delimiter;
  readonly #isLast: boolean;
  readonly #fields: string[] = [];
  #breaks = 0;

  constructor(text: string, delimiter: Delimiter, isLast: boolean) {
    this.#text = text;
    this.#delimiter = delimiter;
    this.#isLast = isLast;
  }

  read(from: number): Found {
    let at = from;
    for (;;) {
      const next = this.#text[at] === quote ? this.#quoted(at) : this.#plain(at);
      if (typeof next !== 'number') return next;
      if (this.#text[next] === this.#delimiter) {
        at = next + 1;
        if (this.#fields.length >= mostColumns) return this.#tooWide(at);
        continue;
      }
      const end = this.#afterBreak(next);
      if (end === undefined) return { kind: 'more', isQuoted: false };
      const fields = next === from && this.#fields.length === 1 ? [] : this.#fields;
      return { kind: 'record', fields, end, breaks: this.#breaks };
    }
  }

  /** Takes a field up to its end; answers the end, or why there is none. */
  #plain(at: number, isLiteral = this.#delimiter === '\t'): number | Found {
    let end = at;
    let hasQuote = false;
    const text = this.#text;
    const delimiter = this.#delimiter.codePointAt(0);
    for (; end < text.length; end += 1) {
      // oxlint-disable-next-line unicorn/prefer-code-point -- three times as fast, and each sign is one unit
      const code = text.charCodeAt(end);
      if (code === delimiter || code === 0x0a || code === 0x0d) break;
      if (code === 0x22) hasQuote = true;
    }
    if (end === this.#text.length && !this.#isLast) return { kind: 'more', isQuoted: false };
    const field = this.#text.slice(at, end);
    if (hasQuote && !isLiteral) return this.#bad(at, strayQuote(field));
    this.#fields.push(field);
    return end;
  }

  #quoted(at: number): number | Found {
    const isTabbed = this.#delimiter === '\t';
    const close = this.#closing(at);
    if (close === undefined) {
      if (!this.#isLast) return { kind: 'more', isQuoted: true };
      return isTabbed ? this.#plain(at) : this.#bad(at, 'a quoted field is opened and never closed');
    }
    const inner = this.#text.slice(at + 1, close);
    const behind = this.#text[close + 1];
    const isClosed = behind === undefined || [this.#delimiter, '\n', '\r'].includes(behind);
    // A text that spans a tab and a line would swallow the label of its row.
    if (isTabbed && (!isClosed || /\t[^]*[\r\n]/.test(inner))) return this.#plain(at);
    if (!isClosed) return this.#bad(at, textBehind(inner));
    this.#breaks += inner.match(lineBreak)?.length ?? 0;
    this.#fields.push(inner.replaceAll('""', quote));
    return close + 1;
  }

  /** The quote that ends the field; `undefined`: it is not there, or what follows it is not. */
  #closing(at: number): number | undefined {
    for (let close = this.#text.indexOf(quote, at + 1); close >= 0; close = this.#text.indexOf(quote, close + 2)) {
      const isAtEnd = close + 1 === this.#text.length;
      if (isAtEnd && !this.#isLast) return undefined;
      if (this.#text[close + 1] !== quote) return close;
    }
    return undefined;
  }

  /** The beginning of the next line; `undefined`: it is not there yet. */
  #afterBreak(at: number): number | undefined {
    if (this.#text[at] !== '\r') return at + 1;
    if (at + 1 === this.#text.length && !this.#isLast) return undefined;
    return this.#text[at + 1] === '\n' ? at + 2 : at + 1;
  }

  #bad(at: number, says: string): Found {
    return this.#toLineEnd(at, (place) => inRow(place, says));
  }

  #tooWide(at: number): Found {
    const says = `has more than ${mostColumns} columns: quote a prompt that holds ${this.#delimiter === ',' ? 'commas' : 'these'}`;
    return this.#toLineEnd(at, (place) => aboutRow(place, says));
  }

  /** What cannot be read ends with its line. */
  #toLineEnd(at: number, problem: (place: Place) => FoundProblem): Found {
    let end = at;
    while (end < this.#text.length && this.#text[end] !== '\n' && this.#text[end] !== '\r') end += 1;
    const next = end === this.#text.length && !this.#isLast ? undefined : this.#afterBreak(end);
    return next === undefined ? { kind: 'more', isQuoted: false } : { kind: 'bad', end: next, problem };
  }
}

const backslash = 'a backslash does not escape a quote in CSV';

function strayQuote(field: string): string {
  if (/^\s+"/.test(field)) return 'a space stands before the quote of a field: take the space away';
  if (field.includes(String.raw`\"`)) return `${backslash}: put the whole field in quotes and double the quotes in it`;
  return 'a quote stands inside a field; put the whole field in quotes and double the quotes in it';
}

function textBehind(inner: string): string {
  if (inner.endsWith('\\')) return `${backslash}: double the quote`;
  const lines = inner.match(lineBreak)?.length ?? 0;
  if (lines === 0) return 'text follows the quote that ends a field: double a quote that belongs to the text';
  return `a quoted field is opened and not closed: the next quote, ${lines} line${lines === 1 ? '' : 's'} below, stands inside a text`;
}
