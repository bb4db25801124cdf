/** A workbook (.xlsx) as the table of its first sheet. Only commands read one: no worker ever does. */
import { unzipSync } from 'fflate';
import { toError } from '../../errors/app-error.ts';
import { readSharedTexts, readSheet } from './read-sheet.ts';
import { walkXml } from './walk-xml.ts';

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
export function readWorkbook(bytes: Uint8Array): ReadWorkbook {
  const unpacked = entriesOf(bytes).reduce((sum, { originalSize }) => sum + originalSize, 0);
  if (unpacked > mostUnpackedBytes) {
    return { ok: false, problem: 'the workbook unpacks to more than 50 MB: save the sheet as CSV UTF-8, or split it' };
  }
  try {
    const { firstSheet, sheets, sharedTexts, styles, isFrom1904 } = partsOf(bytes);
    const context = {
      sharedTexts: readSharedTexts(unzipPart(bytes, sharedTexts)),
      dateStyles: readDateStyles(unzipPart(bytes, styles)),
      isFrom1904,
    };
    const table = createTable();
    readSheet(unzipPart(bytes, firstSheet), context, (cells) => table.add(cells));
    const which = sheets === 1 ? 'the workbook' : `the first of ${sheets} sheets`;
    return { ok: true, csv: table.csv(), change: `${which} becomes CSV` };
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

/** The bytes of one part; none if the workbook does not have it. */
function unzipPart(bytes: Uint8Array, wanted: string): Uint8Array {
  return unzipSync(bytes, { filter: ({ name }) => name === wanted })[wanted] ?? new Uint8Array();
}

/** The places of a workbook's parts (ECMA-376 part 1, 18.2.20): by their relations, not by fixed names. */
function partsOf(bytes: Uint8Array) {
  const sheets: string[] = [];
  let isFrom1904 = false;
  walkXml(unzipPart(bytes, 'xl/workbook.xml'), {
    open(name, attribute) {
      if (name === 'sheet') sheets.push(attribute('id') ?? '');
      else if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attribute('date1904') ?? '');
    },
  });
  const byId = new Map<string, string>();
  const byType = new Map<string, string>();
  walkXml(unzipPart(bytes, 'xl/_rels/workbook.xml.rels'), {
    open(name, attribute) {
      if (name !== 'Relationship') return;
      const target = attribute('Target') ?? '';
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      byId.set(attribute('Id') ?? '', path);
      byType.set((attribute('Type') ?? '').split('/').at(-1) ?? '', path);
    },
  });
  const firstSheet = byId.get(sheets[0] ?? '');
  if (firstSheet === undefined) throw new Error('it has no sheet');
  return {
    firstSheet,
    sheets: sheets.length,
    sharedTexts: byType.get('sharedStrings') ?? '',
    styles: byType.get('styles') ?? '',
    isFrom1904,
  };
}

/** Formats of dates and times that a workbook need not spell out (18.8.30). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** By the place of a style: whether it shows a number as a date. */
function readDateStyles(xml: Uint8Array): readonly boolean[] {
  const formats = new Map<number, string>();
  const styles: boolean[] = [];
  let isInStyles = false;
  walkXml(xml, {
    open(name, attribute) {
      if (name === 'numFmt') formats.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '');
      else if (name === 'cellXfs') isInStyles = true;
      else if (name === 'xf' && isInStyles) {
        const id = Number(attribute('numFmtId') ?? 0);
        const code = formats.get(id);
        // Quoted texts, colours and escaped characters are not part of the format.
        styles.push(
          code === undefined ? isBuiltInDate(id) : /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')),
        );
      }
    },
    close(name) {
      if (name === 'cellXfs') isInStyles = false;
    },
  });
  return styles;
}

/** So much text becomes bytes at once. */
const pieceLength = 65_536;

/** Rows as CSV: each as wide as the first one at least, without the empty ones at the end. */
function createTable() {
  const pieces: Uint8Array[] = [];
  let text = '';
  let empty = 0;
  let width: number | undefined;
  return {
    add(cells: readonly string[]) {
      const fields = cells.findLastIndex((cell) => cell !== '') + 1;
      if (fields === 0) {
        empty += 1;
        return;
      }
      width ??= fields;
      text += `${','.repeat(width - 1)}\n`.repeat(empty);
      text += `${cells.slice(0, fields).map(fieldOf).join(',')}${','.repeat(Math.max(0, width - fields))}\n`;
      empty = 0;
      if (text.length > pieceLength) {
        pieces.push(Buffer.from(text));
        text = '';
      }
    },
    csv: (): Uint8Array => Buffer.concat([...pieces, Buffer.from(text)]),
  };
}

function fieldOf(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
