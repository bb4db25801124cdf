import { StringDecoder } from 'node:string_decoder';
import { columnName, isColumnName, isWanted, type KnownColumns, namesBoth } from './column-mapping.ts';
import { type DatasetVisitor, type Delimiter, emptyFile, lineBreak, mostRecordBytes, tooLong } from './dataset-form.ts';
import { ofFile } from './file-findings.ts';
import { fieldsOf, TableParser } from './table-parser.ts';
import type { TextEncoding } from './text-encoding.ts';

/** Excel reads such a first line, and tools write it for Excel. */
const separatorLine = /^\s*"?sep=([^\s"]|\t)"?\s*$/i;

const delimiters: readonly Delimiter[] = [',', ';', '\t', '|'];

/** The delimiter that makes a header of a line: the one under which it names both columns, else the one that makes most columns. */
function delimiterOf(line: string, columns: KnownColumns): Delimiter {
  const read = delimiters.map((delimiter) => ({ delimiter, header: fieldsOf(line, delimiter) }));
  const named = read.find(({ header }) => namesBoth(header, columns));
  const widest = read.reduce((most, one) => (one.header.length > most.header.length ? one : most));
  return (named ?? widest).delimiter;
}

/** A text whose beginning is known. */
export interface TextWithHead {
  readonly first: Buffer;
  readonly all: AsyncGenerator<Buffer>;
}

/** Reads the rows of a table, or of a list of prompts: one a line, without a header. */
export async function readTable(
  text: TextWithHead,
  { encoding, columns }: { readonly encoding: TextEncoding; readonly columns: KnownColumns },
  visitor: DatasetVisitor,
): Promise<void> {
  const head = text.first.toString();
  const lines = head.split(lineBreak);
  const blank = lines.findIndex((line) => line.trim() !== '');
  const separator = separatorLine.exec(lines[blank] ?? '')?.[1];
  const delimiter = separator ?? delimiterOf((lines[blank] ?? '').trimStart(), columns);
  if (separator === undefined && isList(lines, delimiter, columns)) return readList(text.all, encoding, visitor);

  let hasHeader = false;
  let isAtSeparator = separator !== undefined;
  const begin = (header: readonly string[]) => {
    hasHeader = true;
    return visitor.begin({ kind: 'table', encoding, delimiter, header, hasSeparatorLine: separator !== undefined });
  };
  const parser = new TableParser(delimiter, {
    record: (fields, { row, line }) => {
      if (!hasHeader) {
        if (!isAtSeparator) return begin(fields);
        isAtSeparator = false;
        return true;
      }
      visitor.row(fields, { row: separator === undefined ? row : row - 1, line });
      return true;
    },
    problem: (problem) => visitor.problem(problem),
  });
  const decoder = new StringDecoder();
  for await (const piece of text.all) if (!parser.push(decoder.write(piece))) return;
  if (parser.push(decoder.end(), true) && !hasHeader) visitor.problem(ofFile(emptyFile));
}

/** Returns true if the lines are prompts: none names a column, the first is no header, and they are no table. */
function isList(lines: readonly string[], delimiter: Delimiter, columns: KnownColumns): boolean {
  const rows = lines
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
    .map((line) => fieldsOf(line, delimiter));
  const [first = []] = rows;
  if (first.some((name) => isWanted(name, columns)) || first.every((name) => isColumnName(name.trim()))) return false;
  if (rows.some((row) => namesBoth(row, columns) || namesBoth(row.join().split(/[;\t|,]/), columns))) return false;
  if (first.join('').includes('\u0000') || first.map(columnName).join('').includes('"')) return false;
  const widths = new Set(rows.map((row) => row.length));
  return widths.size > 1 || widths.has(1);
}

async function readList(text: AsyncGenerator<Buffer>, encoding: TextEncoding, visitor: DatasetVisitor): Promise<void> {
  if (!visitor.begin({ kind: 'list', encoding })) return;
  let line = 0;
  for await (const found of linesOf(text)) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row: line, line }));
    if (found.trim() !== '') visitor.row([found], { row: line, line });
  }
}

/** The lines of a text; one that is too long is given as far as it was read. */
export async function* linesOf(text: AsyncGenerator<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const piece of text) {
    const lines = `${rest}${decoder.write(piece)}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > mostRecordBytes) return yield rest;
  }
  yield rest;
}
