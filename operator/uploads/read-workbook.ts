/** A workbook (.xlsx) as the table of its first sheet. Only commands read one: no worker ever does. */
import { unzipSync } from 'fflate';
import readWorkbookSheets, { type CellValue, type SheetData } from 'read-excel-file/universal';
import { toError } from '#shared/errors/app-error.ts';

/** What a workbook may unpack to: a small file can hold gigabytes of one letter. */
const mostUnpackedBytes = 50_000_000;

/** The first sheet as CSV, or why there is none. */
export type ReadWorkbook =
  | { readonly ok: true; readonly csv: Uint8Array; readonly change: string }
  | { readonly ok: false; readonly problem: string };

/** Whether the bytes are a workbook: a ZIP file that has one as its content. */
export function isWorkbook(bytes: Uint8Array): boolean {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))) return false;
  try {
    return entriesOf(bytes).some(({ name }) => name === 'xl/workbook.xml');
  } catch {
    // Cut short, or another ZIP file: it is named as such.
    return false;
  }
}

/** Reads the first sheet of a workbook; its rows keep their numbers. */
export async function readWorkbook(bytes: Uint8Array): Promise<ReadWorkbook> {
  const unpacked = entriesOf(bytes).reduce((sum, { originalSize }) => sum + originalSize, 0);
  if (unpacked > mostUnpackedBytes) {
    return { ok: false, problem: 'the workbook unpacks to more than 50 MB: save the sheet as CSV UTF-8, or split it' };
  }
  try {
    const [first, ...others] = await readWorkbookSheets(Uint8Array.from(bytes).buffer, { trim: false });
    const which = others.length === 0 ? 'the workbook' : `the first of ${others.length + 1} sheets`;
    return { ok: true, csv: csvOf(first?.data ?? []), change: `${which} becomes CSV` };
  } catch (error) {
    const { message } = toError(error);
    return { ok: false, problem: `the workbook cannot be read (${message.slice(0, 200)}): save it as CSV UTF-8` };
  }
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

function csvOf(rows: SheetData): Uint8Array {
  return Buffer.from(rows.map((row) => `${row.map(fieldOf).join(',')}\n`).join(''));
}

function fieldOf(cell: CellValue | null): string {
  if (cell === null) return '';
  const text = cell instanceof Date ? cell.toISOString() : String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
