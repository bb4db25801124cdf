import { columnName, isColumnName, isWanted, type KnownColumns, namesBoth } from '../columns/column-mapping.ts';
import {
  type DatasetVisitor,
  type Delimiter,
  emptyFile,
  headLength,
  lineBreak,
  linesOf,
  mostRecordBytes,
  tooLong,
} from '../dataset-form.ts';
import { ofFile } from '../file-findings.ts';
import { fieldsOf, recordsOf } from './table-parser.ts';
import type { TextEncoding } from '../text-encoding.ts';

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

/** Reads the rows of a table, or of a list of prompts: one a line, without a header. */
export function readTable(
  text: string,
  { encoding, columns }: { readonly encoding: TextEncoding; readonly columns: KnownColumns },
  visitor: DatasetVisitor,
): void {
  const { separator, delimiter, isList } = shapeOf(text.slice(0, headLength), columns);
  if (isList) return readList(text, encoding, visitor);
  const records = recordsOf(text, delimiter);
  if (separator !== undefined) records.next();
  const header = records.next().value;
  if (header === undefined) return visitor.problem(ofFile(emptyFile));
  // Without its header nothing is known of the other rows.
  if (header.problem !== undefined) return visitor.problem(header.problem);
  const hasSeparatorLine = separator !== undefined;
  if (!visitor.begin({ kind: 'table', encoding, delimiter, header: header.fields, hasSeparatorLine })) return;
  for (const { fields, place, problem } of records) {
    if (problem === undefined) visitor.row(fields, hasSeparatorLine ? { ...place, row: place.row - 1 } : place);
    else visitor.problem(problem);
  }
}

function shapeOf(head: string, columns: KnownColumns) {
  const lines = head.split(lineBreak).filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const separator = separatorLine.exec(first)?.[1];
  const delimiter = separator ?? delimiterOf(first.trimStart(), columns);
  return {
    separator,
    delimiter,
    isList: separator === undefined && arePrompts(lines.slice(0, 20), delimiter, columns),
  };
}

/** Returns true if the lines are prompts: none names a column, the first is no header, and they are no table. */
function arePrompts(lines: readonly string[], delimiter: Delimiter, columns: KnownColumns): boolean {
  const rows = lines.map((line) => fieldsOf(line, delimiter));
  const [first = []] = rows;
  if (first.some((name) => isWanted(name, columns)) || first.every((name) => isColumnName(name.trim()))) return false;
  if (rows.some((row) => namesBoth(row, columns) || namesBoth(row.join().split(/[;\t|,]/), columns))) return false;
  if (first.join('').includes('\u0000') || first.map(columnName).join('').includes('"')) return false;
  const widths = new Set(rows.map((row) => row.length));
  return widths.size > 1 || widths.has(1);
}

function readList(text: string, encoding: TextEncoding, visitor: DatasetVisitor): void {
  if (!visitor.begin({ kind: 'list', encoding })) return;
  let line = 0;
  for (const found of linesOf(text)) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row: line, line }));
    if (found.trim() !== '') visitor.row([found], { row: line, line });
  }
}
