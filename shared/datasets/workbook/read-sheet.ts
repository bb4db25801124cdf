/** The rows of one sheet of a workbook, as ECMA-376 part 1, 18.3 writes them. */
import { type Attribute, walkXml } from './walk-xml.ts';
import { dayMs } from '../../schedule/duration.ts';

/** What the cells of a sheet refer to. */
export interface SheetContext {
  /** Texts that cells name by their place. */
  readonly sharedTexts: readonly string[];
  /** By the place of a style: whether a number in it is a date. */
  readonly dateStyles: readonly boolean[];
  /** Days are counted from 1904, as old workbooks of one system do. */
  readonly isFrom1904: boolean;
}

/** What an open cell says of its value. */
interface Cell {
  /** `s`: a shared text. `b`: a truth value. `n`: a number. Any other: a text (18.18.11). */
  readonly type: string;
  readonly isDate: boolean;
}

/** A sheet has no more: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3. */
const [mostRows, mostSheetColumns] = [1_048_576, 16_384];

/** Far more than ten megabytes of prompts need. One text that a thousand cells name counts a thousand times. */
const mostMade = 50_000_000;

/** Counts what is made of a workbook. A small file can name one long text very often, or a cell far to the right in each row. */
function createBudget(): (count: number) => void {
  let made = 0;
  return (count) => {
    made += count;
    if (made > mostMade) throw new Error('its cells hold more than 50 MB');
  };
}

/** The shared texts of a workbook, in their order. What shows how a text is spoken is left out. */
export function readSharedTexts(xml: Uint8Array): readonly string[] {
  const texts: string[] = [];
  const spend = createBudget();
  let text = '';
  walkXml(xml, {
    text(piece, path) {
      if (!isShown(path)) return;
      spend(piece.length);
      text += piece;
    },
    close(name) {
      if (name !== 'si') return;
      // What it takes in memory: two bytes a character, and what a short text takes.
      spend(64 + text.length);
      texts.push(unescaped(text));
      text = '';
    },
  });
  return texts;
}

/** A text of a cell, also one of several runs (18.4.12); how it is spoken (18.4.6) is left out. */
function isShown(path: readonly string[]): boolean {
  return path.at(-1) === 't' && !path.includes('rPh');
}

/** Takes the rows of a sheet; returns false if it wants no more. */
export type TakeRow = (cells: readonly string[], row: number) => boolean;

/**
 * Gives each row of a sheet that is not empty, with its number and its cells as texts. A truth value is `true` or `false`, a date ISO
 * 8601. Cells that the sheet leaves out are empty.
 */
export function readSheet(xml: Uint8Array, context: SheetContext, take: TakeRow): void {
  const spend = createBudget();
  let row = 0;
  let cells: string[] = [];
  let cell: Cell = { type: 'n', isDate: false };
  let value = '';
  let isDone = false;
  walkXml(xml, {
    isDone: () => isDone,
    open(name, attribute) {
      if (name === 'row') {
        row = Number(attribute('r') ?? row + 1);
        if (!(row >= 1 && row <= mostRows)) throw new Error(`a row has a number above ${mostRows}`);
        cells = [];
      } else if (name === 'c') {
        const column = columnOf(attribute('r') ?? '') ?? cells.length;
        if (column >= mostSheetColumns) throw new Error(`a cell stands beyond column ${mostSheetColumns}`);
        if (column > cells.length) spend(column - cells.length);
        while (cells.length < column) cells.push('');
        cell = cellOf(attribute, context);
        value = '';
      }
    },
    text(piece, path) {
      if (cell.type === 'inlineStr' ? !isShown(path) : path.at(-1) !== 'v') return;
      spend(piece.length);
      value += piece;
    },
    close(name) {
      if (name === 'c') {
        const text = value === '' ? '' : cellText(cell, value, context);
        spend(1 + text.length);
        cells.push(text);
      }
      if (name !== 'row' || isDone || cells.every((text) => text === '')) return;
      isDone = !take(cells.slice(0, cells.findLastIndex((text) => text !== '') + 1), row);
    },
  });
}

function cellOf(attribute: Attribute, { dateStyles }: SheetContext): Cell {
  const type = attribute('t') ?? 'n';
  return { type, isDate: type === 'n' && dateStyles[Number(attribute('s') ?? 0)] === true };
}

function cellText(cell: Cell, value: string, context: SheetContext): string {
  switch (cell.type) {
    case 's': {
      const text = context.sharedTexts[Number(value)];
      if (text === undefined) throw new Error('a cell names a text that the workbook does not hold');
      return text;
    }
    case 'b':
      return String(value.trim() === '1');
    case 'n':
      return cell.isDate ? dateText(Number(value), context.isFrom1904) : numberText(value);
    default:
      return unescaped(value);
  }
}

/** A number as JavaScript writes it; what is none stays as it is. */
function numberText(value: string): string {
  const number = Number(value);
  return value.trim() === '' || Number.isNaN(number) ? value : String(number);
}

/** 1970-01-01 in days since 1899-12-30, which is day 0 of a workbook. */
const daysTo1970 = 25_569;
/** From 1899-12-30 to 1904-01-01. */
const daysTo1904 = 1462;

function dateText(days: number, isFrom1904: boolean): string {
  const date = new Date(Math.round((days - daysTo1970 + (isFrom1904 ? daysTo1904 : 0)) * dayMs));
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString();
}

/** The column of an address such as `AB12`, from 0; undefined if it names none. */
function columnOf(address: string): number | undefined {
  const [letters = ''] = /^[A-Z]{0,3}/.exec(address) ?? [];
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column === 0 ? undefined : column - 1;
}

/** `_x000D_` stands for a character that XML cannot hold (22.9.2.19). */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
