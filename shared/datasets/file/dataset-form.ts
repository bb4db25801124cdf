import { aboutRow, type FoundProblem, type Place } from './file-findings.ts';
import type { TextEncoding } from './text-encoding.ts';

/** The longest row. A prompt is a few kB; a longer row is a quote that is never closed, or meant to fill the memory. */
export const mostRecordBytes = 1_000_000;

/** The beginning of a text: enough to know what it is, its header, and what stands between its columns. */
export const headLength = 65_536;

/** Tables of the field have up to some hundred columns. The reader makes a text of each, so their number is bounded. */
export const mostColumns = 1_000;

/** What stands between the columns of a table: one sign. */
export type Delimiter = string;

/** The form of a file, known after its first record. */
export interface DatasetForm {
  /** `json-list`: the one list in a JSON object. `categories`: lists of texts in a JSON object, by category. */
  readonly kind: 'json-lines' | 'json-array' | 'json-list' | 'categories' | 'list' | 'table' | 'sheet';
  readonly encoding: TextEncoding;
  /** The columns of what has a header. */
  readonly header?: readonly string[];
  /** Of a table. */
  readonly delimiter?: Delimiter;
  /** Excel's own first line, `sep=;`. */
  readonly hasSeparatorLine?: boolean;
  /** The list of the JSON object, or the sheet of the workbook. */
  readonly part?: string;
  /** Lines whose first names no column are a table, and no list of prompts, for this reason. */
  readonly isTableBecause?: string;
}

/** Gets what the reader finds, in the order of the file. */
export interface DatasetVisitor {
  /** Returns false if the rows are not wanted. */
  readonly begin: (form: DatasetForm) => boolean;
  /** A row of a table; of a list of prompts, its one text. */
  readonly row: (fields: readonly string[], place: Place) => void;
  /** A line of JSON Lines, or an element of a JSON array, as JSON. */
  readonly json: (text: string, place: Place) => void;
  /** What makes a record, or the rest of the file, unreadable. */
  readonly problem: (problem: FoundProblem) => void;
}

/** What is wrong with a file without a row. */
export const emptyFile = 'the file is empty: the first row must be prompt,label';

/** What is wrong with a row that is too long to be read. */
export function tooLong(place: Place, isQuoted = false): FoundProblem {
  const quote = isQuoted ? ': is a quote opened there and never closed?' : '';
  const most = mostRecordBytes.toLocaleString('en');
  return aboutRow(place, `is longer than ${most} bytes${quote}; nothing behind it was read`);
}

export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end < 0 ? undefined : end).replace(/\r$/, '');
    at = end < 0 ? text.length + 1 : end + 1;
  }
}

/** Line breaks in a text, as any system writes them. A pattern would make a text of each. */
export function breaksIn(text: string): number {
  let breaks = 0;
  for (let at = text.search(/[\r\n]/); at >= 0 && at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\n' || (sign === '\r' && text[at + 1] !== '\n')) breaks += 1;
  }
  return breaks;
}
