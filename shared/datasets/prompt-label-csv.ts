import { hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { CheckedFile } from '../ledger/rows/upload-row.ts';
import { boundedRecords, RecordTooLongError } from './whole-records.ts';
import { NotUtf8Error, utf8Chunks } from './text-encoding.ts';

/**
 * The check `prompt-label-csv`: what a gateway wants of a file of prompts, looked at before anything is sent. The limits are those seen in
 * the field: at most 10 MB, exactly the columns `prompt` and `label`, labels true, false, 1 or 0, and both kinds of them, because a score
 * needs both. The file is read as a stream: beside the piece in hand and one row, 8 bytes for each row are held.
 */

/** The largest file that the check lets through; ask before reading. */
export const maxPromptLabelBytes = 10_000_000;

/** The longest row. A prompt is a few kB; a longer row is a quote that is never closed, or meant to fill the function's memory. */
const mostRecordBytes = 1_000_000;

/** What the check says: what is in the file, or the first problems. */
export type PromptLabelCheck =
  | { readonly ok: true; readonly checked: CheckedFile }
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

/**
 * Checks a file. Each problem names the row as a spreadsheet counts it (the header is row 1) and the line of the text.
 * @throws whatever reading the file throws
 */
export async function checkPromptLabelCsv(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<PromptLabelCheck> {
  const problems = problemList();
  const tally: Tally = { rows: 0, blocking: 0, prompts: [] };
  let sawHeader = false;
  try {
    await eachRow(chunks, (fields, place) => {
      if (sawHeader) countRow(fields, place, { tally, problems });
      else problems.add(...headerProblems(fields));
      sawHeader = true;
    });
  } catch (error) {
    // Rows of a text in another encoding look wrong in ways that lead astray.
    if (error instanceof NotUtf8Error) {
      return { ok: false, problems: [`${error.message}: save the file as UTF-8`], more: 0 };
    }
    if (error instanceof RecordTooLongError) {
      problems.add(`${error.message}: is a quote opened there and never closed?`);
      return problems.answer();
    }
    if (!(error instanceof CsvError)) throw error;
    problems.add(syntaxProblem(error));
    return problems.answer();
  }
  if (!sawHeader) problems.add('the file is empty: the first row must be prompt,label');
  if (problems.isEmpty()) problems.add(...wholeFileProblems(tally));
  if (!problems.isEmpty()) return problems.answer();
  const { rows, blocking, prompts } = tally;
  return { ok: true, checked: { rows, blocking, repeated: repeatedIn(prompts) } };
}

/** What the check found in a good file, in one sentence: how its labels are balanced, and prompts that stand there twice. */
export function checkedSentence({ rows, blocking, repeated }: CheckedFile): string {
  const balance = `prompt-label-csv: ${rows} rows, ${blocking} true and ${rows - blocking} false`;
  if (repeated === 0) return balance;
  return `${balance}; warning: ${repeated} row${repeated === 1 ? ' repeats a prompt' : 's repeat prompts'} of earlier rows`;
}

interface Tally {
  rows: number;
  blocking: number;
  /** A number for each row's prompt, the same for the same prompt. */
  readonly prompts: number[];
}

interface Place {
  readonly row: number;
  readonly line: number;
}

async function eachRow(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  visit: (fields: readonly string[], place: Place) => void,
): Promise<void> {
  let row = 0;
  const rows = parse({
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
  await pipeline(boundedRecords(utf8Chunks(chunks), mostRecordBytes), rows.resume());
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
  into.tally.prompts.push(numberOf(prompt));
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

/** 48 bits of a hash: in one of fifty thousand files with a hundred thousand prompts, two different ones are taken for one. */
function numberOf(prompt: string): number {
  return hash('sha1', prompt, 'buffer').readUIntBE(0, 6);
}

/** Sorted, and not a set: a file of 10 MB may hold three million rows, and here each is 8 bytes. */
function repeatedIn(prompts: readonly number[]): number {
  const sorted = Float64Array.from(prompts).sort();
  return sorted.reduce((count, prompt, index) => (index > 0 && prompt === sorted[index - 1] ? count + 1 : count), 0);
}

/** Enough to know a wrong label or header by. In a file that lacks its quotes a label is a piece of a prompt, and prompts are kept out of logs and rows. */
const longestQuoted = 12;

/** A short piece of the file, on one line. */
function shown(text: string): string {
  return JSON.stringify(text.length > longestQuoted ? `${text.slice(0, longestQuoted)}…` : text);
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
