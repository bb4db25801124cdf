import { pipeline } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import {
  type DatasetForm,
  type DatasetVisitor,
  type Delimiter,
  emptyFile,
  lineBreak,
  mostColumns,
  mostRecordBytes,
  tooLong,
} from './dataset-form.ts';
import { aboutRow, inRow, ofFile } from './file-findings.ts';
import type { TextEncoding } from './text-encoding.ts';

/** Excel reads such a first line, and tools write it for Excel. */
const separatorLine = /^\s*"?sep=([,;\t])"?\s*$/i;

const delimiters: readonly Delimiter[] = [',', ';', '\t'];

/** The delimiter that makes a header of a line: the one under which it names both columns, else the one that makes most columns. */
function delimiterOf(line: string, separator: string | undefined): Delimiter {
  const given = delimiters.filter((delimiter) => separator === undefined || delimiter === separator);
  const read = given.map((delimiter) => ({ delimiter, header: fieldsOf(line, delimiter) }));
  const named = read.find(({ header }) => ['prompt', 'label'].every((name) => header.map(columnName).includes(name)));
  const widest = read.reduce((most, one) => (one.header.length > most.header.length ? one : most));
  return (named ?? widest).delimiter;
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

/** Ends the reading of a table whose rows are not wanted. */
class StopReading extends Error {}

/** Reads the rows of a table. `first` is its beginning, with the whole of its first two lines if they are short. */
export async function readTable(
  text: { readonly first: Buffer; readonly all: AsyncGenerator<Buffer> },
  encoding: TextEncoding,
  visitor: DatasetVisitor,
): Promise<void> {
  const [firstLine = '', secondLine = ''] = text.first.toString().trimStart().split(lineBreak);
  const separator = separatorLine.exec(firstLine)?.[1];
  const delimiter = delimiterOf(separator === undefined ? firstLine : secondLine, separator);
  const reader = new TableReader({ encoding, delimiter, hasSeparatorLine: separator !== undefined }, visitor);
  try {
    await pipeline(text.all, parse(reader.options()).resume());
    reader.end();
  } catch (error) {
    if (!(error instanceof StopReading)) throw error;
  }
}

/** What is known of a table before its header is read. */
type TableForm = Omit<Extract<DatasetForm, { kind: 'table' }>, 'kind' | 'header'>;

/** Gets the records of the parser, and counts rows and lines. */
class TableReader {
  readonly #form: TableForm;
  readonly #visitor: DatasetVisitor;
  #row = 1;
  #isAtSeparator: boolean;
  /** The lines up to the end of the last record, and how many of them are empty, as the parser counts. */
  #last = { lines: 0, emptyLines: 0 };
  /** The parser counts CRLF as two lines inside of a quoted field, and as one behind a record. */
  #doubled = 0;
  /** The line of the last mistake with quotes, and how many there were. */
  #unreadable = { line: 0, count: 0 };

  constructor(form: TableForm, visitor: DatasetVisitor) {
    this.#form = form;
    this.#visitor = visitor;
    this.#isAtSeparator = form.hasSeparatorLine;
  }

  options(): Options {
    return {
      delimiter: this.#form.delimiter,
      // One more: the rest of a row that is too wide is a field, however many delimiters are in it.
      ignore_last_delimiters: mostColumns + 1,
      max_record_size: mostRecordBytes,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: recordEnds,
      skip_records_with_error: true,
      on_skip: (error) => {
        if (error !== undefined) this.#skipped(error);
      },
      on_record: (fields: string[], { lines, empty_lines: emptyLines }) => {
        this.#take(fields, lines);
        this.#last = { lines, emptyLines };
        return null;
      },
    };
  }

  /** To be called behind the last record. */
  end(): void {
    if (this.#row === 1) this.#visitor.problem(ofFile(emptyFile));
  }

  #take(fields: readonly string[], lines: number): void {
    if (this.#isAtSeparator) {
      this.#isAtSeparator = false;
      return;
    }
    if (this.#row === 1) this.#begin(fields);
    // The parser tells the line that a record ends on; its own line breaks lie inside quoted fields.
    const text = fields.join();
    this.#doubled += text.split('\r\n').length - 1;
    const place = { row: this.#row, line: lines - this.#doubled - breaksIn(text) };
    this.#row += 1;
    if (place.row === 1) return;
    if (fields.length <= mostColumns) this.#visitor.row(fields, place);
    else
      this.#visitor.problem(aboutRow(place, `has more than ${mostColumns} columns: quote a prompt that holds commas`));
  }

  #begin(header: readonly string[]): void {
    if (!this.#visitor.begin({ kind: 'table', ...this.#form, header })) throw new StopReading();
  }

  #skipped(error: CsvError): undefined {
    const { lines, emptyLines } = this.#last;
    const [errorLines = 1, errorEmptyLines = 0] = [numberIn(error, 'lines'), numberIn(error, 'empty_lines')];
    const begins = lines + 1 + errorEmptyLines - emptyLines - this.#doubled;
    if (error.code === 'CSV_MAX_RECORD_SIZE') {
      this.#visitor.problem(tooLong({ row: this.#row, line: begins }));
      throw new StopReading();
    }
    const line = error.code === 'CSV_QUOTE_NOT_CLOSED' ? begins : errorLines - this.#doubled;
    const { line: lineBefore, count } = this.#unreadable;
    this.#unreadable = { line, count: count + 1 };
    // Each quote of a record is an error.
    if (line !== lineBefore) {
      this.#visitor.problem(inRow({ row: this.#row, line }, syntaxProblem(error)));
      this.#row += 1;
    }
    if (this.#row === 2) throw new StopReading();
    if (count < mostUnreadable) return;
    this.#visitor.problem(
      ofFile(`more than ${mostUnreadable} quotes stand inside fields; nothing behind them was read`),
    );
    throw new StopReading();
  }
}

/** Mistakes with quotes that are read. The parser writes the whole field, up to a megabyte, into the error of each. */
const mostUnreadable = 1000;

function numberIn(error: CsvError, name: string): number | undefined {
  const value: unknown = error[name];
  return typeof value === 'number' ? value : undefined;
}

function syntaxProblem({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quoted field is opened and never closed';
  return `a quote stands inside a field; put the whole field in quotes and double the quotes in it (${code})`;
}

function breaksIn(text: string): number {
  return text.match(lineBreak)?.length ?? 0;
}
