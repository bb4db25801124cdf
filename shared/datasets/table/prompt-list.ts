/** Lines without a header that is known: a list of prompts, or a form that claims them. */
import { type Delimiter, linesOf } from '../file/dataset-form.ts';
import { recordsOf, type TableRecord } from './table-parser.ts';

/** What is tried between the columns of a table. */
export const delimiters: readonly Delimiter[] = [',', ';', '\t', '|', '^', '\u001F', '\u0001'];

/**
 * What lines are. `lines`: a prompt each. `column`: a prompt each, quoted as CSV quotes it. `table`: of columns that have other names.
 * `json`: JSON below other lines.
 */
export type LinesForm =
  | { readonly kind: 'lines' }
  | { readonly kind: 'json' }
  | { readonly kind: 'column'; readonly delimiter: Delimiter }
  | { readonly kind: 'table'; readonly delimiter?: Delimiter; readonly because: string };

/** Judges all of a text: a cell that spans lines may stand at its end. Pure. */
export function formOfLines(text: string): LinesForm {
  const tried = delimiters.filter((delimiter) => delimiter === ',' || text.includes(delimiter));
  const seen = tried.map((delimiter) => ({ delimiter, ...recordsSeen(text, delimiter) }));
  const column = seen.find(({ isColumn }) => isColumn);
  if (column !== undefined) return { kind: 'column', delimiter: column.delimiter };
  const alike = seen.find(({ isAlike }) => isAlike);
  if (alike !== undefined)
    return {
      kind: 'table',
      delimiter: alike.delimiter,
      because: 'a delimiter splits its lines alike (if it is one, quote each line)',
    };
  const long = seen.find(({ longFrom }) => longFrom !== undefined);
  if (long !== undefined)
    return {
      kind: 'table',
      delimiter: long.delimiter,
      because: `a quoted cell spans lines from line ${long.longFrom} on`,
    };
  const { all, json, quoted } = beginnings(text);
  if (json * 2 > all) return { kind: 'json' };
  return quoted * 2 > all ? { kind: 'table', because: 'most of its lines begin with a quote' } : { kind: 'lines' };
}

/** How the records under a delimiter look. */
function recordsSeen(text: string, delimiter: Delimiter) {
  const widths = new Map<number, number>();
  let [records, quoted, spaced] = [0, 0, 0];
  let [isConsistent, isBroken] = [true, false];
  let longFrom: number | undefined;
  for (const record of recordsOf(text, delimiter)) {
    records += 1;
    if (spansLines(record, delimiter)) longFrom ??= record.place.line;
    // What cannot be read has no field.
    const width = record.fields.length;
    widths.set(width, (widths.get(width) ?? 0) + 1);
    spaced += Number(isSpaced(record.fields));
    const quotes = quotesOf(record, text, delimiter);
    quoted += Number(quotes.isQuoted);
    isBroken ||= quotes.isRaw;
    isConsistent &&= quotes.isConsistent;
  }
  const isAllQuoted = quoted > 0 && (isConsistent || quoted === records);
  // If a quote is out of place, what seems to be a cell may be pieces of two.
  const isColumn = isAllQuoted && !isBroken && widths.get(1) === records;
  return { isColumn, longFrom, isAlike: areAlike(widths, records, spaced) };
}

/** A damaged row or two do not make a list of a long table. Sentences are a table only if all of them are alike. */
function areAlike(widths: ReadonlyMap<number, number>, records: number, spaced: number): boolean {
  const least = spaced * 2 > records ? records : records * 0.9;
  return [...widths].some(([width, count]) => width > 1 && count >= least);
}

/** How the first cell of a record is quoted. */
function quotesOf({ at, fields: [first = ''], isLong }: TableRecord, text: string, delimiter: Delimiter) {
  const isQuoted = text[at] === '"';
  return {
    isQuoted,
    /** Its quotes were taken as they stand. */
    isRaw: first.startsWith('"') && text.startsWith(first, at),
    /** A writer quotes all cells, or those that need it. */
    isConsistent: isQuoted === (isLong || needsQuotes(first, delimiter)),
  };
}

/** In sentences a space follows each comma. */
function isSpaced([, ...others]: readonly string[]): boolean {
  return others.length > 0 && others.every((field) => field.startsWith(' '));
}

/** Between tabs a text that breaks the rules of quotes is plain: only a cell that spans lines is a problem. */
function spansLines({ problem, isLong }: TableRecord, delimiter: Delimiter): boolean {
  return problem === undefined ? isLong : delimiter === '\t';
}

function needsQuotes(cell: string, delimiter: Delimiter): boolean {
  return cell.includes(delimiter) || cell.includes('"');
}

/** Lines, and how many of them begin as JSON or as a quoted cell does. */
function beginnings(text: string) {
  let [all, json, quoted] = [0, 0, 0];
  for (const line of linesOf(text)) {
    const first = /^\s{0,100}(?<sign>\S)/.exec(line)?.groups?.['sign'];
    if (first === undefined) continue;
    all += 1;
    if (first === '"') quoted += 1;
    else if (beginsJson(line)) json += 1;
  }
  return { all, json, quoted };
}

/** Says whether a text begins as JSON does, and not with the mark of a template: `{{name}}`, `{name} …`, `[INST] …`. */
export function beginsJson(text: string): boolean {
  const head = text.slice(0, 200).trimStart();
  return /^[[{]/.test(head) && !/^(?:\{\{|\{\w+\}\s*\S|\[\/?[A-Za-z][\w -]*\]\s*\S)/.test(head);
}
