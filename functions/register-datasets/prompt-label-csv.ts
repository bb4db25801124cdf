import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';

/**
 * The check `prompt-label-csv`: what a gateway wants of a file of prompts, looked at before anything is sent. Pure.
 * The limits are those seen in the field: at most 10 MB, exactly the columns `prompt` and `label`, labels true, false, 1 or 0, and both
 * kinds of them, because a score needs both.
 */

/** The largest file that the check lets through; ask before reading. */
export const maxPromptLabelBytes = 10_000_000;

/** What the check says: how many prompts, or the first problems. */
export type PromptLabelCheck =
  | { readonly ok: true; readonly rows: number; readonly blocking: number }
  | { readonly ok: false; readonly problems: readonly string[]; readonly more: number };

const header = ['prompt', 'label'] as const;
/** A label, and whether it says that the prompt should be blocked. */
const labels: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const mostListed = 5;

/** Checks a file. Each problem names the row as a spreadsheet counts it (the header is row 1) and the line of the text. */
export function checkPromptLabelCsv(bytes: Uint8Array): PromptLabelCheck {
  const problems = problemList();
  if (!isUtf8(bytes)) {
    problems.add(`line ${firstBadLine(bytes)} is not UTF-8: save the file as UTF-8`);
    return problems.answer();
  }

  const tally = { rows: 0, blocking: 0 };
  let sawHeader = false;
  try {
    eachRow(new TextDecoder().decode(bytes), (fields, place) => {
      if (sawHeader) countRow(fields, place, { tally, problems });
      else problems.add(...headerProblems(fields));
      sawHeader = true;
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add(syntaxProblem(error));
    return problems.answer();
  }
  if (!sawHeader) problems.add('the file is empty: the first row must be prompt,label');
  if (problems.isEmpty()) problems.add(...wholeFileProblems(tally));
  return problems.isEmpty() ? { ok: true, ...tally } : problems.answer();
}

interface Tally {
  rows: number;
  blocking: number;
}

interface Place {
  readonly row: number;
  readonly line: number;
}

function eachRow(text: string, visit: (fields: readonly string[], place: Place) => void): void {
  let row = 0;
  parse(text, {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // Given, or the first line's ending would be taken for that of all.
    record_delimiter: ['\r\n', '\n', '\r'],
    on_record: (fields: string[], context) => {
      row += 1;
      // The parser tells the line that a record ends on; its own line breaks lie inside quoted fields.
      visit(fields, { row, line: context.lines - lineBreaksIn(fields) });
      return null;
    },
  });
}

function lineBreaksIn(fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + (field.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

function headerProblems(fields: readonly string[]): string[] {
  if (fields.length === header.length && header.every((name, index) => fields[index] === name)) return [];
  return [`the header must be exactly prompt,label and is ${shown(fields.join(','))}`];
}

function countRow(
  fields: readonly string[],
  place: Place,
  into: { readonly tally: Tally; readonly problems: ReturnType<typeof problemList> },
): void {
  const [prompt = '', label = ''] = fields;
  const where = `row ${place.row} (line ${place.line})`;
  into.tally.rows += 1;
  if (fields.length !== header.length) {
    into.problems.add(
      `${where} has ${fields.length} column${fields.length === 1 ? '' : 's'}, not 2: quote a prompt that holds a comma`,
    );
    return;
  }
  if (prompt.trim() === '') into.problems.add(`${where}: the prompt is empty`);
  const isBlocking = labels.get(label);
  if (isBlocking === undefined) into.problems.add(`${where}: the label is ${shown(label)}, not true, false, 1 or 0`);
  else if (isBlocking) into.tally.blocking += 1;
}

function wholeFileProblems({ rows, blocking }: Tally): string[] {
  if (rows === 0) return ['the file has a header and no rows'];
  if (blocking === 0) return ['no row is labelled true or 1: both labels must be present'];
  if (blocking === rows) return ['no row is labelled false or 0: both labels must be present'];
  return [];
}

function syntaxProblem(error: CsvError): string {
  const line = typeof error['lines'] === 'number' ? `line ${error['lines']}` : 'the file';
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `${line}: a quoted field is opened and never closed`;
  return `${line}: a quote stands inside a field; put the whole field in quotes and double the quotes in it (${error.code})`;
}

/** A line break is never part of another character in UTF-8, so each line can be looked at alone. */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(from, to))) return line;
    from = to;
  }
  return line;
}

/** A short piece of the file, on one line. */
function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** The first problems, and how many more there are. */
function problemList() {
  const listed: string[] = [];
  let more = 0;
  return {
    isEmpty: () => listed.length === 0,
    add(...problems: readonly string[]): void {
      for (const problem of problems) {
        if (listed.length < mostListed) listed.push(problem);
        else more += 1;
      }
    },
    answer: (): PromptLabelCheck => ({ ok: false, problems: listed, more }),
  };
}
