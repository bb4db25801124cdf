import { isColumnName, isWanted, type KnownColumns, namesBoth } from '../columns/column-mapping.ts';
import {
  type DatasetForm,
  type DatasetVisitor,
  type Delimiter,
  emptyFile,
  headLength,
  linesOf,
  mostColumns,
  mostRecordBytes,
  tooLong,
} from '../file/dataset-form.ts';
import { ofFile } from '../file/file-findings.ts';
import type { TextEncoding } from '../file/text-encoding.ts';
import { delimiters, formOfLines, type LinesForm } from './prompt-list.ts';
import { recordsOf } from './table-parser.ts';

/** Excel reads such a first line, and tools write it for Excel. */
const separatorLine = /^\s{0,100}"?sep=(?<sign>[^\s"]|\t)"?\s{0,100}(?:[\r\n]|$)/i;

/** What is known of a text before it is read as a table. */
export interface TableContext {
  readonly encoding: TextEncoding;
  readonly columns: KnownColumns;
  /** A person names a column: it is no list of prompts. */
  readonly isNamed: boolean;
}

/** Reads the rows of a table, or of a list of prompts, which has no header. */
export function readTable(text: string, context: TableContext, visitor: DatasetVisitor): void {
  const shape = shapeOf(text, context);
  const { encoding } = context;
  if (shape.kind === 'lines') return readLines(text, encoding, visitor);
  if (shape.kind === 'json')
    return visitor.problem(ofFile('most lines are JSON, and the first is none: delete what stands above the JSON'));
  if (shape.kind === 'column') return readRows(text, { kind: 'list', encoding, delimiter: shape.delimiter }, visitor);
  const { delimiter, hasSeparatorLine, because } = shape;
  readRows(text, { kind: 'table', encoding, delimiter, hasSeparatorLine, isTableBecause: because }, visitor);
}

/** Says whether a text is a table: what its first record names, or all of its lines. */
export function isTable(text: string, context: TableContext): boolean {
  const { kind } = shapeOf(text, context);
  return kind === 'table' || kind === 'column';
}

/** A list of prompts, or JSON below other lines. */
type NoTable = Exclude<LinesForm, { readonly kind: 'table' }>;

interface KnownTable {
  readonly kind: 'table';
  readonly delimiter: Delimiter;
  readonly hasSeparatorLine: boolean;
  readonly because?: string;
}

function shapeOf(text: string, { columns, isNamed }: TableContext): KnownTable | NoTable {
  const head = text.slice(0, headLength);
  const separator = separatorLine.exec(head)?.groups?.['sign'];
  if (separator !== undefined) return { kind: 'table', delimiter: separator, hasSeparatorLine: true };
  const delimiter = delimiterOf(head, columns);
  const known: KnownTable = { kind: 'table', delimiter, hasSeparatorLine: false };
  if (isNamed || hasHeader(head, delimiter, columns)) return known;
  const found = formOfLines(text);
  return found.kind === 'table' ? { ...known, ...found, delimiter: found.delimiter ?? delimiter } : found;
}

/** The delimiter that makes a header of the first record: one under which it names both columns, and makes most columns. */
function delimiterOf(head: string, columns: KnownColumns): Delimiter {
  const read = delimiters.map((delimiter) => ({ delimiter, header: headerOf(head, delimiter) }));
  const named = read.filter(({ header }) => namesBoth(header, columns));
  const widest = (named.length > 0 ? named : read).toSorted((one, other) => other.header.length - one.header.length);
  return widest[0]?.delimiter ?? ',';
}

/** The first record; of one that cannot be read, the pieces of its line. */
function headerOf(head: string, delimiter: Delimiter): readonly string[] {
  const { fields = [], problem } = recordsOf(head, delimiter).next().value ?? {};
  if (problem === undefined) return fields;
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  return line.split(delimiter, mostColumns + 1);
}

/** Rows in which a header is looked for: titles stand above it. */
const mostTitles = 20;

/** The first record is a header: it names a column, or only words; or a later row names both columns. */
function hasHeader(head: string, delimiter: Delimiter, columns: KnownColumns): boolean {
  const header = headerOf(head, delimiter);
  if (header.length > mostColumns || header.some((name) => isWanted(name, columns))) return true;
  if (header.length > 0 && header.every((name) => isColumnName(name.trim()))) return true;
  // Of what is no text nothing is known.
  if (head.slice(0, 1_000).includes('\u0000')) return true;
  return delimiters.some((other) => hasHeaderBelow(head, other, columns));
}

function hasHeaderBelow(head: string, delimiter: Delimiter, columns: KnownColumns): boolean {
  for (const { fields, place } of recordsOf(head, delimiter)) {
    if (namesBoth(fields, columns)) return true;
    if (place.row >= mostTitles) break;
  }
  return false;
}

/** Reads records by the grammar of CSV: with a header, or of one column without. */
function readRows(text: string, form: DatasetForm, visitor: DatasetVisitor): void {
  const { kind, delimiter = ',', hasSeparatorLine = false } = form;
  const records = recordsOf(text, delimiter);
  if (hasSeparatorLine) records.next();
  if (kind === 'table') {
    const header = records.next().value;
    if (header === undefined) return visitor.problem(ofFile(emptyFile));
    // Without its header nothing is known of the other rows.
    if (header.problem !== undefined) return visitor.problem(header.problem);
    if (!visitor.begin({ ...form, header: header.fields })) return;
  } else if (!visitor.begin(form)) return;
  for (const { fields, place, problem } of records) {
    if (problem === undefined) visitor.row(fields, hasSeparatorLine ? { ...place, row: place.row - 1 } : place);
    else visitor.problem(problem);
  }
}

function readLines(text: string, encoding: TextEncoding, visitor: DatasetVisitor): void {
  if (!visitor.begin({ kind: 'list', encoding })) return;
  let line = 0;
  // An old Mac ends its lines with carriage returns alone.
  for (const found of linesOf(text.includes('\n') ? text : text.replaceAll('\r', '\n'))) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row: line, line }));
    if (found.trim() !== '') visitor.row([found], { row: line, line });
  }
}
