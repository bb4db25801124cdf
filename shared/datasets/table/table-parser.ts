import { breaksIn, type Delimiter, mostColumns, mostRecordBytes, tooLong } from '../file/dataset-form.ts';
import { aboutRow, type FoundProblem, inRow, type Place } from '../file/file-findings.ts';

/** A record of a table, or what is wrong with it. */
export interface TableRecord {
  readonly place: Place;
  /** Its place in the text. */
  readonly at: number;
  readonly end: number;
  /** It spans lines. */
  readonly isLong: boolean;
  readonly fields: readonly string[];
  readonly problem?: FoundProblem;
}

/**
 * Reads the records of a table, and counts rows as a spreadsheet does: an empty line is a row. Goes
 * on behind a record that cannot be read. Between tabs, a quote is a quote only if it begins and
 * ends its field.
 */
export function* recordsOf(text: string, delimiter: Delimiter): Generator<TableRecord, undefined> {
  let place: Place = { row: 1, line: 1 };
  const grammar: Grammar = { delimiter, isLiteral: delimiter === '\t' ? once(() => hasLoneQuote(text)) : () => false };
  for (let at = 0; at < text.length;) {
    const { fields, problem, end, breaks } = readRecord(text, grammar, at);
    const isLong = breaks > 0;
    if (end - at > mostRecordBytes) {
      yield { place, at, end, isLong, fields: [], problem: tooLong(place, isLong) };
      return;
    }
    if (problem !== undefined || fields.length > 0) yield { place, at, end, isLong, fields, problem: problem?.(place) };
    place = { row: place.row + 1, line: place.line + 1 + breaks };
    at = end;
  }
}

export function fieldsOf(line: string, delimiter: Delimiter): readonly string[] {
  const { fields, problem } = readRecord(line, { delimiter, isLiteral: () => false }, 0);
  return problem === undefined ? fields : [line];
}

/**
 * What stands at a place: the fields of a record, or what is wrong with it; `end` is the start of
 * the next.
 */
interface FoundRecord {
  readonly fields: readonly string[];
  readonly problem?: (place: Place) => FoundProblem;
  readonly end: number;
  /** Line breaks inside of its fields. */
  readonly breaks: number;
}

/** How the fields of a text are divided. */
interface Grammar {
  readonly delimiter: Delimiter;
  /** Quotes between tabs are signs like others: one stands in the middle of a text, which no writer of quoted fields leaves. */
  readonly isLiteral: () => boolean;
}

function once(ask: () => boolean): () => boolean {
  let answer: boolean | undefined;
  return () => (answer ??= ask());
}

/** Finds a quote with other signs on both sides. */
function hasLoneQuote(text: string): boolean {
  const ends = new Set([undefined, '\t', '\n', '\r', quote]);
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (!ends.has(text[at - 1]) && !ends.has(text[at + 1])) return true;
  }
  return false;
}

function readRecord(text: string, grammar: Grammar, from: number): FoundRecord {
  const { delimiter } = grammar;
  const fields: string[] = [];
  let breaks = 0;
  for (let at = from; ;) {
    const field = text[at] === quote ? quotedField(text, grammar, at) : plainField(text, delimiter, at);
    if (field.says !== undefined) return unread(text, at, (place) => inRow(place, field.says ?? ''));
    fields.push(field.content);
    breaks += field.breaks ?? 0;
    if (text[field.end] !== delimiter) {
      const isBlank = field.end === from && fields.length === 1;
      return { fields: isBlank ? [] : fields, end: afterBreak(text, field.end), breaks };
    }
    at = field.end + 1;
    if (fields.length >= mostColumns) return unread(text, at, (place) => tooWide(place, delimiter));
  }
}

/** What cannot be read ends with its line. */
function unread(text: string, at: number, problem: FoundRecord['problem']): FoundRecord {
  let end = at;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { fields: [], problem, end: afterBreak(text, end), breaks: 0 };
}

const quote = '"';

/** A field and its end; or what is wrong with it. */
interface Field {
  readonly content: string;
  readonly end: number;
  readonly breaks?: number;
  readonly says?: string;
}

function wrong(says: string): Field {
  return { content: '', end: 0, says };
}

function plainField(text: string, delimiter: Delimiter, at: number): Field {
  let end = at;
  let hasQuote = false;
  const sign = delimiter.codePointAt(0);
  for (; end < text.length; end += 1) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- three times as fast, and each sign is one unit
    const code = text.charCodeAt(end);
    if (code === sign || code === 0x0a || code === 0x0d) break;
    if (code === 0x22) hasQuote = true;
  }
  const content = text.slice(at, end);
  return hasQuote && delimiter !== '\t' ? wrong(strayQuote(content)) : { content, end };
}

function quotedField(text: string, { delimiter, isLiteral }: Grammar, at: number): Field {
  const isTabbed = delimiter === '\t';
  const close = closingQuote(text, at);
  if (close === undefined)
    return isTabbed ? plainField(text, delimiter, at) : wrong('a quoted field is opened and never closed');
  // What is too long is refused as a whole: nothing is made of it.
  if (close - at > mostRecordBytes) return { content: '', end: close + 1, breaks: 1 };
  const inner = text.slice(at + 1, close);
  const behind = text[close + 1];
  const isClosed = behind === undefined || [delimiter, '\n', '\r'].includes(behind);
  if (isTabbed && !isClosed) return plainField(text, delimiter, at);
  // A text that spans a tab and a line may swallow the label of its row.
  if (isTabbed && hasTabBeforeBreak(inner)) return isLiteral() ? plainField(text, delimiter, at) : wrong(spansRows);
  if (!isClosed) return wrong(textBehind(inner));
  return { content: inner.replaceAll('""', quote), end: close + 1, breaks: breaksIn(inner) };
}

/** By the places of both: a pattern would look at all of a long text again for each tab. */
function hasTabBeforeBreak(text: string): boolean {
  const tab = text.indexOf('\t');
  return tab >= 0 && tab < Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
}

/** The quote that ends the field; `undefined`: there is none. */
function closingQuote(text: string, at: number): number | undefined {
  let close = text.indexOf(quote, at + 1);
  while (close >= 0 && text[close + 1] === quote) close = text.indexOf(quote, close + 2);
  return close < 0 ? undefined : close;
}

/** The beginning of the next line. */
function afterBreak(text: string, at: number): number {
  return text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1;
}

function tooWide(place: Place, delimiter: Delimiter): FoundProblem {
  const what = delimiter === ',' ? 'commas' : 'these';
  return aboutRow(place, `has more than ${mostColumns} columns: quote a prompt that holds ${what}`);
}

const spansRows = 'a quoted field spans a tab and a line: save the table with commas';

const backslash = 'a backslash does not escape a quote in CSV';

function strayQuote(field: string): string {
  if (/^\s+"/.test(field)) return 'a space stands before the quote of a field: take the space away';
  if (field.includes(String.raw`\"`)) return `${backslash}: put the whole field in quotes and double the quotes in it`;
  return 'a quote stands inside a field; put the whole field in quotes and double the quotes in it';
}

function textBehind(inner: string): string {
  if (inner.endsWith('\\')) return `${backslash}: double the quote`;
  const lines = breaksIn(inner);
  if (lines === 0) return 'text follows the quote that ends a field: double a quote that belongs to the text';
  return `a quoted field is opened and not closed: the next quote, ${lines} line${lines === 1 ? '' : 's'} below, stands inside a text`;
}
