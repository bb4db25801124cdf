/**
 * The check `prompt-label-csv`: what a gateway wants of a file of prompts, looked at before
 * anything is sent. The limits are those seen in the field: at most 10 MB, exactly the columns
 * `prompt` and `label`, labels true, false, 1 or 0. Both kinds must occur, because a score needs
 * both. The file is read as a stream: beside the piece in hand and one row, 8 bytes for each row
 * are held.
 */
import type { CheckedFile } from '../ledger/rows/upload-row.ts';
import {
  aboutRow,
  type FoundProblem,
  inRow,
  type ListedProblems,
  ofFile,
  type Place,
  problemList,
  PromptTally,
  type TallyResult,
} from './file-findings.ts';
import type { DatasetForm } from './dataset-form.ts';
import { readDataset } from './read-dataset.ts';

/** The largest file that the check lets through; ask before reading. */
export const maxPromptLabelBytes = 10_000_000;

/** What the check says: what is in the file, or the first problems. */
export type PromptLabelCheck =
  | { readonly ok: true; readonly checked: CheckedFile }
  | ({ readonly ok: false } & ListedProblems);

const columns = ['prompt', 'label'] as const;
const mostListed = 5;

/**
 * Checks a file. Each problem names the row as a spreadsheet counts it (the header is row 1) and
 * the line of the text.
 * @throws the errors of reading the file
 */
export async function checkPromptLabelCsv(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<PromptLabelCheck> {
  const problems = problemList(mostListed);
  const tally = new PromptTally();
  await readDataset(chunks, {
    begin: (form) => {
      problems.add(...formProblems(form).map(ofFile));
      return problems.isEmpty();
    },
    row: (fields, place) => judgeRow(fields, place, { tally, problems }),
    line: () => {},
    problem: (problem) => problems.add(problem),
  });
  const result = tally.result(1);
  if (problems.isEmpty()) problems.add(...wholeFileProblems(result).map(ofFile));
  if (!problems.isEmpty()) return { ok: false, ...problems.answer() };
  return { ok: true, checked: checkedFile(result) };
}

function checkedFile({ rows, blocking, repeated, contradicted, contradictions }: TallyResult): CheckedFile {
  const [first] = contradictions;
  return {
    rows,
    blocking,
    repeated,
    contradictory: first && { prompts: contradicted, rows: [first.row, first.other] },
  };
}

/** What the check found in a good file, in one sentence: how its labels are balanced, and prompts that stand there twice. */
export function checkedSentence(checked: CheckedFile): string {
  const { rows, blocking } = checked;
  const balance = `prompt-label-csv: ${rows} rows, ${blocking} true and ${rows - blocking} false`;
  const warnings = checkedWarnings(checked);
  return warnings.length === 0 ? balance : `${balance}; warning: ${warnings.join('; ')}`;
}

/** What a person may want to correct in a good file. */
export function checkedWarnings({ repeated, contradictory }: CheckedFile): readonly string[] {
  return [
    ...(repeated === 0
      ? []
      : [`${repeated} row${repeated === 1 ? ' repeats a prompt' : 's repeat prompts'} of earlier rows`]),
    ...(contradictory === undefined ? [] : [contradictorySentence(contradictory)]),
  ];
}

function contradictorySentence({ prompts, rows: [row, other] }: NonNullable<CheckedFile['contradictory']>): string {
  const where = `rows ${row} and ${other}`;
  return prompts === 1
    ? `one prompt has both labels (${where})`
    : `${prompts} prompts have both labels (the first: ${where})`;
}

/** What is wrong with the form, in words: the rows of another form would look wrong in ways that lead astray. */
function formProblems(form: DatasetForm): readonly string[] {
  if (form.kind === 'json-lines') return ['the file is JSON Lines, not CSV'];
  const { encoding, delimiter, header, hasSeparatorLine } = form;
  if (header.join().includes('\u0000')) return ['the file is UTF-16 without its byte order mark, not UTF-8'];
  const isExact = header.length === columns.length && columns.every((name, index) => header[index] === name);
  return [
    ...(encoding === 'utf-8' ? [] : [`the file is ${encoding.toUpperCase()}, not UTF-8`]),
    ...(hasSeparatorLine ? ['the first line, sep=, is for Excel alone'] : []),
    ...(delimiter === ','
      ? []
      : [`its columns stand between ${delimiter === ';' ? 'semicolons' : 'tabs'}, not commas`]),
    ...(isExact ? [] : [`the header must be exactly prompt,label and is ${headerInWords(header, delimiter)}`]),
  ];
}

/**
 * The longest name of a column that is shown. A file without a header has prompts there, and
 * prompts are kept out of logs and rows.
 */
const longestName = 40;
/** And this many of them. */
const mostNames = 16;

/** A header as it stands in the file. */
export function headerInWords(header: readonly string[], delimiter: string): string {
  const names = header.slice(0, mostNames).map((name) => cut(name, longestName));
  return JSON.stringify([...names, ...(header.length > mostNames ? ['…'] : [])].join(delimiter));
}

function judgeRow(
  fields: readonly string[],
  place: Place,
  into: { readonly tally: PromptTally; readonly problems: ReturnType<typeof problemList> },
): void {
  const [prompt = '', label = ''] = fields;
  if (fields.length !== columns.length) {
    into.tally.add(place.row, '', undefined);
    into.problems.add(columnsProblem(place, fields.length, '2'));
    return;
  }
  const isBlocking = exactLabels.get(label);
  into.tally.add(place.row, prompt, isBlocking);
  into.problems.add(...valueProblems(place, { prompt, label, isBlocking }, exactLabelsInWords));
}

/**
 * What is wrong with the two values of a row.
 * @param wanted - the labels that are read, in words
 */
export function valueProblems(
  place: Place,
  row: { readonly prompt: string; readonly label: string; readonly isBlocking: boolean | undefined },
  wanted: string,
): readonly FoundProblem[] {
  return [
    ...(row.prompt.trim() === '' ? [inRow(place, 'the prompt is empty', 'prompt')] : []),
    ...(row.isBlocking === undefined
      ? [inRow(place, `the label is ${shown(row.label)}, not ${wanted}${remedyOf(row.label)}`, 'label')]
      : []),
  ];
}

/** If a conversion reads the label, a person need not correct it. */
function remedyOf(label: string): string {
  const isBlocking = readLabel(label);
  return isBlocking === undefined ? '' : ` (--convert writes ${String(isBlocking)})`;
}

/** A row with another number of columns than it should have. */
export function columnsProblem(place: Place, count: number, wanted: string): FoundProblem {
  return aboutRow(
    place,
    `has ${count} column${count === 1 ? '' : 's'}, not ${wanted}: quote a prompt that holds a comma`,
  );
}

/** What is wrong with a file whose rows are each good. */
export function wholeFileProblems({ rows, blocking }: Pick<TallyResult, 'rows' | 'blocking'>): readonly string[] {
  if (rows === 0) return ['the file has a header and no rows'];
  if (blocking === 0) return ['no row is labelled true or 1: both labels must be present'];
  if (blocking === rows) return ['no row is labelled false or 0: both labels must be present'];
  return [];
}

/** Enough to know a wrong label by. In a file that lacks its quotes a label is a piece of a prompt. */
const longestQuoted = 12;

/** A short piece of the file, on one line. */
function shown(text: string): string {
  return JSON.stringify(cut(text, longestQuoted));
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

// The words for the two labels of a prompt.

/** A label that the check `prompt-label-csv` takes as it stands, and whether it says that the prompt should be blocked. */
const exactLabels: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const exactLabelsInWords = 'true, false, 1 or 0';

/**
 * The truth values of spreadsheets in other languages. Excel shows and saves them in its own language: support.microsoft.com, "TRUE function" and
 * "FALSE function", in the edition of the language. For French and Dutch: wiki.openoffice.org, "FR/Documentation/Calc: fonction VRAI" and
 * "NL/Documentation/How Tos/Calc: functie ONWAAR", section "Voorbeeld".
 */
const spreadsheetLabels: readonly (readonly [language: string, yes: string, no: string])[] = [
  ['de', 'wahr', 'falsch'],
  ['fr', 'vrai', 'faux'],
  ['es', 'verdadero', 'falso'],
  ['it', 'vero', 'falso'],
  ['pt', 'verdadeiro', 'falso'],
  ['nl', 'waar', 'onwaar'],
];

/** What a conversion reads beside those, in any case and with spaces around. */
const readLabels: ReadonlyMap<string, boolean> = new Map([
  ...exactLabels,
  ['yes', true],
  ['no', false],
  // pandas writes numbers so if one label of the column is missing.
  ['1.0', true],
  ['0.0', false],
  ...spreadsheetLabels.flatMap(([, yes, no]): [string, boolean][] => [
    [yes, true],
    [no, false],
  ]),
]);
export const readLabelsInWords = 'true, false, 1, 0, yes or no';

/**
 * Reads a label as people and spreadsheets write it.
 * @example readLabel(' WAHR ') // true
 */
export function readLabel(text: string): boolean | undefined {
  return readLabels.get(text.trim().toLowerCase());
}
