/**
 * The check `prompt-label-csv`, by limits seen in the field: at most 10 MB, exactly the columns
 * `prompt` and `label`, labels true, false, 1 or 0.
 */
import type { CheckedFile } from './file/checked-file.ts';
import { columnName, headerInWords, isWanted, labelProblem } from './columns/column-mapping.ts';
import type { DatasetForm, Delimiter } from './file/dataset-form.ts';
import {
  aboutRow,
  type FoundProblem,
  inRow,
  type ListedProblems,
  oddSentence,
  ofFile,
  type Place,
  problemList,
  PromptTally,
  type TallyResult,
} from './file/file-findings.ts';
import { exactLabels, exactLabelsInWords } from './columns/label-words.ts';
import { readDataset } from './read-dataset.ts';
import { recordsOf, type TableRecord } from './table/table-parser.ts';
import { decodeText } from './file/text-encoding.ts';

/** The largest file that the check lets through; ask before reading. */
export const maxPromptLabelBytes = 10_000_000;

/** What the check says: what is in the file, or the first problems. */
export type PromptLabelCheck =
  | { readonly ok: true; readonly checked: CheckedFile }
  | ({ readonly ok: false } & ListedProblems);

const columns = ['prompt', 'label'] as const;
const mostListed = 5;

/**
 * Checks a file. Each problem names the row as a spreadsheet counts it, and the line of the text.
 */
export function checkPromptLabelCsv(file: Uint8Array): PromptLabelCheck {
  const problems = problemList(mostListed);
  const tally = new PromptTally();
  const records = exactRecords(file);
  if (records === undefined) problems.add(...otherForm(file));
  for (const { fields, place, problem } of records ?? []) {
    if (problem === undefined) judgeRow(fields, place, { tally, problems });
    else {
      tally.add(place.row, '', undefined);
      problems.add(problem);
    }
  }
  const result = tally.result(1);
  if (problems.isEmpty() && result.rows === 0) problems.add(ofFile(noRows));
  if (!problems.isEmpty()) return { ok: false, ...problems.answer(result.rows) };
  return { ok: true, checked: checkedFile(result) };
}

/** The records below the header, if the file has the form that is checked. */
function exactRecords(file: Uint8Array): Iterable<TableRecord> | undefined {
  const decoded = decodeText(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  if ('problem' in decoded || decoded.encoding !== 'utf-8') return undefined;
  const records = recordsOf(decoded.text, ',');
  const { fields = [], problem } = records.next().value ?? {};
  return problem === undefined && isExact(fields) ? records : undefined;
}

function isExact(header: readonly string[]): boolean {
  return header.length === columns.length && columns.every((name, index) => header[index] === name);
}

/** What a file is, in place of the form that is checked. */
function otherForm(file: Uint8Array): readonly FoundProblem[] {
  const found: FoundProblem[] = [];
  readDataset(file, {
    begin(form) {
      found.push(...formProblems(form));
      return false;
    },
    row: () => {},
    json: () => {},
    problem: (problem) => {
      if (found.length === 0) found.push(problem);
    },
  });
  return found;
}

/** What is wrong with a file that has a header alone. */
export const noRows = 'the file has a header and no rows';

/**
 * What is kept of a good file.
 * @param sheet - of a workbook
 */
export function checkedFile(
  { rows, blocking, repeated, contradicted, ...found }: TallyResult,
  sheet?: string,
): CheckedFile {
  const [first] = found.contradictions;
  return {
    rows,
    blocking,
    repeated,
    contradictory: first && { prompts: contradicted, rows: [first.row, first.other] },
    odd: found.odd.length === 0 ? undefined : found.odd,
    sheet,
  };
}

/** What the check found in a good file, in one sentence: how its labels are balanced, and prompts that stand there twice. */
export function checkedSentence(checked: CheckedFile): string {
  const { rows, blocking, sheet } = checked;
  const of = sheet === undefined ? '' : ` of the sheet ${JSON.stringify(sheet)}`;
  const balance = `prompt-label-csv: ${rows} rows${of}, ${blocking} true and ${rows - blocking} false`;
  const warnings = checkedWarnings(checked);
  return warnings.length === 0 ? balance : `${balance}; warning: ${warnings.join('; ')}`;
}

/** What a person may want to correct in a good file. */
export function checkedWarnings({ rows, blocking, repeated, contradictory, odd }: CheckedFile): readonly string[] {
  const missing = blocking === 0 ? 'true' : 'false';
  const hasBoth = blocking > 0 && blocking < rows;
  return [
    ...(hasBoth ? [] : [`no row is labelled ${missing}: a score needs both labels`]),
    ...(repeated === 0
      ? []
      : [`${repeated} row${repeated === 1 ? ' repeats a prompt' : 's repeat prompts'} of earlier rows`]),
    ...(contradictory === undefined ? [] : [contradictorySentence(contradictory)]),
    ...(odd ?? []).map(oddSentence),
  ];
}

function contradictorySentence({ prompts, rows: [row, other] }: NonNullable<CheckedFile['contradictory']>): string {
  const where = `rows ${row} and ${other}`;
  return prompts === 1
    ? `one prompt has both labels (${where})`
    : `${prompts} prompts have both labels (the first: ${where})`;
}

/** What is wrong with the form, in words: the rows of another form would look wrong in ways that lead astray. */
function formProblems(form: DatasetForm): readonly FoundProblem[] {
  if (form.kind !== 'table') return [ofFile(`the file is ${formNames[form.kind]}, not CSV`)];
  const { encoding, delimiter = ',', header = [], hasSeparatorLine } = form;
  const binary = binaryHeader(header);
  if (binary !== undefined) return [ofFile(binary)];
  return [
    ...(encoding === 'utf-8' ? [] : [ofFile(`the file is ${encoding.toUpperCase()}, not UTF-8`)]),
    ...(hasSeparatorLine === true ? [ofFile('the first line, sep=, is for Excel alone')] : []),
    ...(delimiter === ',' ? [] : [ofFile(`its columns stand between ${delimiterInWords(delimiter)}, not commas`)]),
    ...(isExact(header) ? [] : [wrongHeader(header)]),
  ];
}

const formNames = {
  'json-lines': 'JSON Lines',
  'json-array': 'a JSON array',
  'json-list': 'a list in a JSON object',
  categories: 'lists of prompts by category',
  sheet: 'a workbook',
  list: 'a list of prompts without labels',
} as const;

/** What a header with NUL characters comes from. */
export function binaryHeader(header: readonly string[]): string | undefined {
  const text = header.join();
  if (!text.includes('\u0000')) return undefined;
  const isEverySecond = [0, 1].some((from) => [0, 2, 4].every((step) => text[from + step] === '\u0000'));
  return isEverySecond
    ? 'the file is UTF-16 without its byte order mark, not UTF-8: save it as CSV UTF-8'
    : 'the file is no text: NUL characters stand in its first row';
}

/** A sign between columns, by its name. */
export function delimiterInWords(delimiter: Delimiter): string {
  const names: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };
  return names[delimiter] ?? `"${delimiter}"`;
}

/** A first row that names no column at all is content. */
function wrongHeader(header: readonly string[]): FoundProblem {
  const says = 'the header must be exactly prompt,label';
  if (!header.some((name) => isWanted(name, { prompt: 'prompt', label: 'label' })))
    return ofFile(`${says}; the first row names neither prompt nor label`);
  const there = new Set(header.map(columnName));
  const lacks = (['prompt', 'label'] as const).filter((name) => !there.has(name));
  return { ...ofFile(`${says} and has the columns ${headerInWords(header)}`), lacks };
}

function judgeRow(
  fields: readonly string[],
  place: Place,
  into: { readonly tally: PromptTally; readonly problems: ReturnType<typeof problemList> },
): void {
  const [prompt = '', label = ''] = fields;
  if (fields.length !== columns.length) {
    into.tally.add(place.row, '', undefined);
    into.problems.add(columnsProblem(place, fields, columns.length));
    return;
  }
  const isBlocking = exactLabels.get(label);
  into.tally.add(place.row, prompt, isBlocking);
  into.problems.add(...valueProblems(place, { prompt, label, isBlocking }, exactLabelsInWords));
}

/** What is wrong with the two values of a row. */
export function valueProblems(
  place: Place,
  row: { readonly prompt: string; readonly label: string; readonly isBlocking: boolean | undefined },
  wanted: string,
): readonly FoundProblem[] {
  return [
    ...(row.prompt.trim() === '' ? [inRow(place, 'the prompt is empty', 'prompt')] : []),
    ...(row.isBlocking === undefined ? [labelProblem(place, row.label, wanted)] : []),
  ];
}

/** A row with another number of columns than it should have. */
export function columnsProblem(place: Place, fields: readonly string[], wanted: number): FoundProblem {
  const count = fields.length;
  const hasEmptyRest = count > wanted && fields.slice(wanted).every((field) => field.trim() === '');
  const todo = hasEmptyRest
    ? ': a comma stands at its end (--convert leaves it out)'
    : ': quote a prompt that holds a comma';
  return aboutRow(place, `has ${count} column${count === 1 ? '' : 's'}, not ${wanted}${count > wanted ? todo : ''}`);
}
