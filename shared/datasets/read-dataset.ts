import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { aboutRow, type FoundProblem, inRow, ofFile, type Place } from './file-findings.ts';
import { asUtf8, startBytes, type TextEncoding, textStart, UndecodableError } from './text-encoding.ts';
import { type RecordLayout, wholeRecords } from './whole-records.ts';

/** What stands between the columns of a table. */
export type Delimiter = ',' | ';' | '\t';

/** The form of a file, known after its first record. */
export type DatasetForm =
  | { readonly kind: 'json-lines'; readonly encoding: TextEncoding }
  | {
      readonly kind: 'table';
      readonly encoding: TextEncoding;
      readonly delimiter: Delimiter;
      readonly header: readonly string[];
      /** Excel's own first line, `sep=;`. */
      readonly hasSeparatorLine: boolean;
    };

/** Gets what the reader finds, in the order of the file. */
export interface DatasetVisitor {
  /** Returns false if the rows are not wanted. */
  readonly begin: (form: DatasetForm) => boolean;
  /** A row of a table. */
  readonly row: (fields: readonly string[], place: Place) => void;
  /** A line of JSON Lines. */
  readonly line: (text: string, place: Place) => void;
  /** What makes a record, or the rest of the file, unreadable. */
  readonly problem: (problem: FoundProblem) => void;
}

/**
 * Reads a file of prompts as people have it, piece by piece: comma, semicolon or tab, UTF-8 or
 * UTF-16 by its mark, JSON Lines. It judges nothing. Beside the piece in hand it holds one record.
 * @param named - the encoding that a person names, for a text without a mark
 * @throws the errors of reading the file
 */
export async function readDataset(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visitor: DatasetVisitor,
  named?: TextEncoding,
): Promise<void> {
  const bytes = await peek(chunks, (found) => found.length >= startBytes);
  const start = textStart(bytes.first);
  if (start.kind === 'binary') {
    return visitor.problem(ofFile(`the file is ${start.what}, not text: save it as CSV UTF-8`));
  }
  const encoding = start.markBytes === 0 ? (named ?? start.encoding) : start.encoding;
  try {
    const text = await peek(asUtf8(withoutMark(bytes.all, start.markBytes), encoding), (found) => headOf(found) !== '');
    const head = headOf(text.first);
    if (head === '') return visitor.problem(ofFile(emptyFile));
    const form = otherForm(head);
    if (form !== undefined) return visitor.problem(ofFile(form));
    const layout: RecordLayout = { isLines: head === '{' };
    await readRecords(wholeRecords(text.all, layout), { layout, encoding, visitor });
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    visitor.problem(ofFile(error.message));
  }
}

/** A text that is no table and no JSON Lines, by its first character. */
function otherForm(head: string): string | undefined {
  if (head === '[') return 'the file is a JSON array: write one object a line (JSON Lines)';
  if (head === '<')
    return 'the file is a web page (HTML) or XML, not a table: download the file itself, or save it as CSV UTF-8';
  return undefined;
}

const emptyFile = 'the file is empty: the first row must be prompt,label';

interface Reading {
  readonly layout: RecordLayout;
  readonly encoding: TextEncoding;
  readonly visitor: DatasetVisitor;
}

async function readRecords(records: AsyncGenerator<Buffer>, reading: Reading): Promise<void> {
  const next = reading.layout.isLines ? await readLines(records, reading) : await readTable(records, reading);
  const { stop } = reading.layout;
  if (stop === undefined || next === undefined) return;
  const place = { row: next.row, line: stop.line };
  reading.visitor.problem(aboutRow(place, `${stop.problem}; nothing behind it was read`));
}

/** Answers the row that would come next; `undefined`: the rows are not wanted. */
type NextRow = { readonly row: number } | undefined;

async function readLines(records: AsyncGenerator<Buffer>, { encoding, visitor }: Reading): Promise<NextRow> {
  if (!visitor.begin({ kind: 'json-lines', encoding })) return undefined;
  let line = 0;
  let row = 1;
  for await (const piece of records) {
    for (const text of withoutLastBreak(piece.toString()).split(lineBreak)) {
      line += 1;
      if (text.trim() === '') continue;
      // Each of its lines would be a problem.
      if (row === 1 && text.trim() === '{') {
        visitor.problem(ofFile('the file is JSON over several lines: write one object a line (JSON Lines)'));
        return undefined;
      }
      visitor.line(text, { row, line });
      row += 1;
    }
  }
  return { row };
}

async function readTable(records: AsyncGenerator<Buffer>, { layout, encoding, visitor }: Reading): Promise<NextRow> {
  let text = await nextRecord(records);
  let line = 1 + breaksIn(text);
  const separator = separatorLine.exec(text)?.[1];
  if (separator !== undefined) {
    text = await nextRecord(records);
    line += breaksIn(text);
  }
  if (layout.stop !== undefined) return { row: 1 };
  if (text.trim() === '') {
    visitor.problem(ofFile(emptyFile));
    return undefined;
  }
  const { header, delimiter } = headerOf(text, separator);
  layout.delimiter = delimiter.charCodeAt(0);
  const hasSeparatorLine = separator !== undefined;
  if (!visitor.begin({ kind: 'table', encoding, delimiter, header, hasSeparatorLine })) return undefined;
  return readRows(records, { delimiter, firstLine: line }, visitor);
}

/** Excel reads such a first line, and tools write it for Excel. */
const separatorLine = /^\s*"?sep=([,;\t])"?\s*$/i;

const delimiters: readonly Delimiter[] = [',', ';', '\t'];

/** The delimiter that makes a header of the first record: the one under which it names both columns, else the one that makes most columns. */
function headerOf(text: string, separator: string | undefined): { header: readonly string[]; delimiter: Delimiter } {
  const given = delimiters.filter((delimiter) => separator === undefined || delimiter === separator);
  const read = given.map((delimiter) => ({ delimiter, header: fieldsOf(text, delimiter) }));
  const named = read.find(({ header }) => ['prompt', 'label'].every((name) => header.map(columnName).includes(name)));
  const widest = read.reduce((most, one) => (one.header.length > most.header.length ? one : most));
  return named ?? widest;
}

/** A column's name as people mean it: headers come in any case, with spaces around. */
export function columnName(header: string): string {
  return header.trim().toLowerCase();
}

function fieldsOf(record: string, delimiter: Delimiter): readonly string[] {
  const options = { delimiter, relax_quotes: true, relax_column_count: true, skip_empty_lines: true };
  try {
    return parseAtOnce(record, { ...options, record_delimiter: recordEnds })[0] ?? [];
  } catch (error) {
    if (error instanceof CsvError) return [record];
    throw error;
  }
}

/** Given, or the first line's ending would be taken for that of all. */
const recordEnds = ['\r\n', '\n', '\r'];

async function readRows(
  records: AsyncGenerator<Buffer>,
  { delimiter, firstLine }: { readonly delimiter: Delimiter; readonly firstLine: number },
  visitor: DatasetVisitor,
): Promise<NextRow> {
  let row = 2;
  let unreadable: number | undefined;
  // The parser counts CRLF as two lines inside of a quoted field, and as one behind a record.
  let doubled = 0;
  const lineOf = (lines: number) => firstLine - 1 + lines - doubled;
  const rows = parse({
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: recordEnds,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      if (error === undefined) return;
      const line = lineOf(linesOf(error));
      // Each quote of a record is an error.
      if (line === unreadable) return;
      unreadable = line;
      visitor.problem(inRow({ row, line }, syntaxProblem(error)));
      row += 1;
    },
    on_record: (fields: string[], context) => {
      // The parser tells the line that a record ends on; its own line breaks lie inside quoted fields.
      const text = fields.join();
      const breaks = breaksIn(text);
      doubled += text.split('\r\n').length - 1;
      visitor.row(fields, { row, line: lineOf(context.lines) - breaks });
      row += 1;
      return null;
    },
  });
  await pipeline(records, rows.resume());
  return { row };
}

function linesOf(error: CsvError): number {
  return typeof error['lines'] === 'number' ? error['lines'] : 1;
}

function syntaxProblem({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quoted field is opened and never closed';
  return `a quote stands inside a field; put the whole field in quotes and double the quotes in it (${code})`;
}

async function nextRecord(records: AsyncGenerator<Buffer>): Promise<string> {
  const next = await records.next();
  return next.done === true ? '' : next.value.toString();
}

const lineBreak = /\r\n|\n|\r/g;

function breaksIn(text: string): number {
  return text.match(lineBreak)?.length ?? 0;
}

function withoutLastBreak(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/** The first character that is not blank, or nothing. */
function headOf(text: Buffer): string {
  return text.toString('latin1').trimStart().slice(0, 1);
}

/** Looks at the beginning of a stream without taking it away. */
async function peek<Bytes extends Uint8Array>(
  chunks: AsyncIterable<Bytes> | Iterable<Bytes>,
  isEnough: (found: Buffer) => boolean,
): Promise<{ readonly first: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const rest = asyncIteratorOf(chunks);
  let first: Buffer = Buffer.alloc(0);
  while (!isEnough(first)) {
    const next = await rest.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return { first, all: joined(first, rest) };
}

async function* asyncIteratorOf<Bytes>(chunks: AsyncIterable<Bytes> | Iterable<Bytes>): AsyncGenerator<Bytes> {
  yield* chunks;
}

async function* joined(first: Buffer, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Buffer> {
  yield first;
  for await (const chunk of rest) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

async function* withoutMark(chunks: AsyncIterable<Buffer>, markBytes: number): AsyncGenerator<Buffer> {
  let left = markBytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
