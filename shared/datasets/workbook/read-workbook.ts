/** A workbook (.xlsx) as the table of one of its sheets. */
import { unzipSync } from 'fflate';
import { toError } from '../../errors/app-error.ts';
import { columnName, columnsOf, namesBoth, plainName, typedName } from '../columns/column-mapping.ts';
import type { DatasetVisitor } from '../file/dataset-form.ts';
import { ofFile } from '../file/file-findings.ts';
import type { ReadingOptions } from '../columns/column-mapping.ts';
import { readSharedTexts, readSheet, type TakeRow } from './read-sheet.ts';
import { partsOf, type Sheet } from './workbook-parts.ts';
import { readDateStyles } from './date-styles.ts';

/** What a workbook may unpack to: a small file can hold gigabytes of one letter. */
const mostUnpackedBytes = 50_000_000;

/** Whether the bytes are a workbook: a ZIP file that has one as its content. */
export function isWorkbook(bytes: Uint8Array): boolean {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'PK\u0003\u0004') return false;
  try {
    return entriesOf(bytes).some(({ name }) => name === 'xl/workbook.xml');
  } catch {
    // Cut short, or another ZIP file: it is named as such.
    return false;
  }
}

/** Reads the sheet that is named, else the first visible one that has the wanted columns. Its rows keep their numbers. */
export function readWorkbook(bytes: Uint8Array, visitor: DatasetVisitor, options: ReadingOptions): void {
  try {
    const unpacked = entriesOf(bytes).reduce((sum, { originalSize }) => sum + originalSize, 0);
    if (unpacked > mostUnpackedBytes) {
      visitor.problem(ofFile('the workbook unpacks to more than 50 MB: save the sheet as CSV UTF-8, or split it'));
      return;
    }
    const parts = partsOf((path) => unzipPart(bytes, path));
    const context = {
      sharedTexts: readSharedTexts(unzipPart(bytes, parts.sharedTexts)),
      dateStyles: readDateStyles(unzipPart(bytes, parts.styles)),
      isFrom1904: parts.isFrom1904,
    };
    const rowsOf = (sheet: Sheet, take: TakeRow) => readSheet(unzipPart(bytes, sheet.path), context, take);
    const sheet = chosenSheet(parts.sheets, { options, headerOf: headerReader(rowsOf) });
    if (typeof sheet === 'string') visitor.problem(ofFile(sheet));
    else readRows(sheet, rowsOf, visitor);
  } catch (error) {
    const { message } = toError(error);
    visitor.problem(ofFile(`the workbook cannot be read (${message.slice(0, 200)}): save it as CSV UTF-8`));
  }
}

type RowsOf = (sheet: Sheet, take: TakeRow) => void;

/** Gives the first row of each sheet; several may name one part. */
function headerReader(rowsOf: RowsOf): (sheet: Sheet) => readonly string[] {
  const headers = new Map<string, readonly string[]>();
  return (sheet) => {
    const known = headers.get(sheet.path);
    if (known !== undefined) return known;
    let header: readonly string[] = [];
    rowsOf(sheet, (cells) => {
      header = cells;
      return false;
    });
    headers.set(sheet.path, header);
    return header;
  };
}

/** The sheet to read, or why there is none. */
function chosenSheet(
  sheets: readonly Sheet[],
  how: { readonly options: ReadingOptions; readonly headerOf: (sheet: Sheet) => readonly string[] },
): Sheet | string {
  const { sheet: named, mapping = {} } = how.options;
  const shown = sheets.map(({ name, isHidden }) => `${typedName(plainName(name))}${isHidden ? ' (hidden)' : ''}`);
  if (named !== undefined) {
    const found = sheets.find(({ name }) => columnName(name) === columnName(named));
    return found ?? `there is no sheet ${typedName(plainName(named))}: the sheets are ${listed(shown)}`;
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const wanted = columnsOf(mapping);
  const fitting = visible.find((sheet) => namesBoth(how.headerOf(sheet), wanted));
  // None has the columns: a table of other columns is more likely than a sheet of one sentence.
  const table = fitting ?? visible.find((sheet) => how.headerOf(sheet).length > 1) ?? visible[0];
  return table ?? `no sheet is visible: name one with --sheet (${listed(shown)})`;
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, 16), ...(names.length > 16 ? [`${names.length - 16} more`] : [])].join(', ');
}

function readRows(sheet: Sheet, rowsOf: RowsOf, visitor: DatasetVisitor): void {
  let isBegun = false;
  rowsOf(sheet, (cells, row) => {
    if (isBegun) visitor.row(cells, { row, line: row });
    else if (!visitor.begin({ kind: 'sheet', encoding: 'utf-8', header: cells, part: plainName(sheet.name) }))
      return false;
    isBegun = true;
    return true;
  });
  if (!isBegun) visitor.problem(ofFile(`the sheet ${typedName(plainName(sheet.name))} is empty`));
}

/** Nothing is unpacked for it. */
function entriesOf(bytes: Uint8Array): readonly { readonly name: string; readonly originalSize: number }[] {
  const entries: { readonly name: string; readonly originalSize: number }[] = [];
  unzipSync(bytes, {
    filter({ name, originalSize }) {
      entries.push({ name, originalSize });
      return false;
    },
  });
  return entries;
}

/** The bytes of one part; none if the workbook does not have it. */
function unzipPart(bytes: Uint8Array, wanted: string): Uint8Array {
  return unzipSync(bytes, { filter: ({ name }) => name === wanted })[wanted] ?? new Uint8Array();
}
