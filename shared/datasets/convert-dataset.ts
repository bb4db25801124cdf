import {
  type Contradiction,
  type FoundProblem,
  inRow,
  type ListedProblems,
  ofFile,
  type Place,
  problemList,
  PromptTally,
} from './file-findings.ts';
import {
  columnsProblem,
  headerInWords,
  maxPromptLabelBytes,
  readLabel,
  readLabelsInWords,
  valueProblems,
  wholeFileProblems,
} from './prompt-label-csv.ts';
import { type DatasetForm, mostColumns } from './dataset-form.ts';
import { readDataset } from './read-dataset.ts';
import { columnName } from './read-table.ts';
import type { TextEncoding } from './text-encoding.ts';

/** A file of prompts as people have it, read into the form that a gateway reads. */
export interface ConvertedDataset extends ListedProblems {
  /** The form that the file has; absent if it is unknown. */
  readonly form?: DatasetForm;
  /** The file as `prompt,label` in UTF-8, if `problems` is empty. */
  readonly csv: Buffer;
  readonly rows: number;
  readonly blocking: number;
  /** Names of the columns that are left out. */
  readonly leftOut: readonly string[];
}

/** Problems that are listed: a person reads no more at once. */
const mostListed = 100;

/**
 * Reads a file in any of the forms of `readDataset`, and names each problem with its row. Writes
 * its prompts and labels in the form that the check `prompt-label-csv` takes. Prompts stay as they
 * are; labels become true and false; other columns and empty rows are left out.
 * @throws the errors of reading the file
 */
export async function convertDataset(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding?: TextEncoding,
): Promise<ConvertedDataset> {
  const conversion = new Conversion();
  await readDataset(chunks, conversion, encoding);
  return conversion.result();
}

/** The positions of the two columns, and the width of the table. */
interface Columns {
  readonly prompt: number;
  readonly label: number;
  readonly count: number;
}

class Conversion {
  readonly #problems = problemList(mostListed);
  readonly #tally = new PromptTally();
  readonly #written: string[] = ['prompt,label\n'];
  #writtenBytes = 0;
  #form: DatasetForm | undefined;
  #columns: Columns | undefined;
  #leftOut: readonly string[] = [];

  begin(form: DatasetForm): boolean {
    this.#form = form;
    if (form.kind === 'json-lines') return true;
    const names = form.header.map(columnName);
    const found = headerProblems(names, headerInWords(form.header, form.delimiter));
    this.#problems.add(...found.map(ofFile));
    this.#columns = { prompt: names.indexOf('prompt'), label: names.indexOf('label'), count: names.length };
    this.#leftOut = form.header.filter((_name, index) => !['prompt', 'label'].includes(names[index] ?? ''));
    return found.length === 0;
  }

  row(fields: readonly string[], place: Place): void {
    // A spreadsheet keeps its empty rows.
    if (this.#columns === undefined || fields.every((field) => field.trim() === '')) return;
    const { prompt, label, count } = this.#columns;
    if (fields.length !== count) {
      this.#tally.add(place.row, '', undefined);
      this.#problems.add(columnsProblem(place, fields.length, `${count} as the header`));
      return;
    }
    const text = fields[label] ?? '';
    this.#take(fields[prompt] ?? '', { text, isBlocking: readLabel(text) }, place);
  }

  line(text: string, place: Place): void {
    const found = readObject(text);
    if (typeof found === 'string') {
      this.#tally.add(place.row, '', undefined);
      this.#problems.add(inRow(place, found));
      return;
    }
    const { prompt, label, others } = found;
    this.#leftOut = [...new Set([...this.#leftOut, ...others])].slice(0, mostColumns);
    this.#take(prompt, { text: String(label), isBlocking: readLabel(String(label)) }, place);
  }

  problem(problem: FoundProblem): void {
    this.#problems.add(problem);
  }

  #take(
    prompt: string,
    label: { readonly text: string; readonly isBlocking: boolean | undefined },
    place: Place,
  ): void {
    const { text, isBlocking } = label;
    this.#tally.add(place.row, prompt, isBlocking);
    this.#problems.add(...valueProblems(place, { prompt, label: text, isBlocking }, readLabelsInWords));
    const row = `${csvField(prompt)},${String(isBlocking)}\n`;
    this.#writtenBytes += Buffer.byteLength(row);
    // What the gateway would not take need not be held.
    if (this.#writtenBytes <= maxPromptLabelBytes) this.#written.push(row);
  }

  result(): ConvertedDataset {
    const { rows, blocking, contradicted, contradictions } = this.#tally.result(mostListed);
    if (this.#writtenBytes > maxPromptLabelBytes) {
      const says = `it would have ${this.#writtenBytes} bytes, and a gateway takes ${maxPromptLabelBytes}: split it`;
      this.#problems.add(ofFile(says));
    }
    if (this.#problems.isEmpty()) this.#problems.add(...wholeFileProblems({ rows, blocking }).map(ofFile));
    this.#problems.add(...contradictionProblems(contradictions, contradicted));
    const leftOut = this.#leftOut.map((name) => name.trim());
    const csv = Buffer.from(this.#written.join(''));
    return { form: this.#form, csv, rows, blocking, leftOut, ...this.#problems.answer() };
  }
}

/** Each prompt with both labels, with both rows: no score is right for it. */
function contradictionProblems(contradictions: readonly Contradiction[], count: number): readonly FoundProblem[] {
  const listed = contradictions.map(({ row, other }): FoundProblem => ({
    row: other,
    column: 'label',
    says: `the same prompt has the other label in row ${row}`,
    text: `rows ${row} and ${other}: the same prompt has the label true and the label false`,
  }));
  const more = count - contradictions.length;
  return more > 0 ? [...listed, ofFile(`${more} more prompts have both labels`)] : listed;
}

function headerProblems(names: readonly string[], header: string): readonly string[] {
  if (names.some((name) => name.includes('\u0000'))) {
    return ['the file is UTF-16 without its byte order mark: save it as CSV UTF-8'];
  }
  if (names.length > mostColumns) return [`the header has more than ${mostColumns} columns`];
  const other = noHeader(names, header);
  if (other !== undefined) return [other];
  return ['prompt', 'label'].flatMap((wanted) => {
    const count = names.filter((name) => name === wanted).length;
    if (count === 1) return [];
    const near = names.includes(`${wanted}s`) ? `: name it so, not ${wanted}s` : '';
    return [`the header ${header} ${count === 0 ? 'has no column' : 'has twice the column'} ${wanted}${near}`];
  });
}

/** What a first row is that names neither column, if that is known. */
function noHeader(names: readonly string[], header: string): string | undefined {
  if (names.includes('prompt') || names.includes('label')) return undefined;
  const named = names.filter((name) => name !== '');
  if (named.length > 1)
    return named.some((name) => readLabel(name) !== undefined)
      ? 'the file has no header: its first row must name the columns prompt and label'
      : undefined;
  const parts = new Set((named[0] ?? '').split('|').map(columnName));
  return parts.has('prompt') && parts.has('label')
    ? 'its columns stand between pipes (|): save it with commas, semicolons or tabs'
    : `the first row ${header} is no header: delete what stands above the row that names prompt and label`;
}

interface PromptObject {
  readonly prompt: string;
  readonly label: string | number | boolean;
  readonly others: readonly string[];
}

/** A line of JSON Lines, or what is wrong with it. */
function readObject(text: string): PromptObject | string {
  const input = parsedJson(text);
  if (input === undefined) return 'it is no JSON object on one line';
  const fields = Object.entries(input).map(([name, value]: [string, unknown]) => ({
    column: columnName(name),
    name,
    value,
  }));
  if (fields.length > mostColumns) return `it has ${fields.length} fields, and ${mostColumns} is the most`;
  for (const wanted of ['prompt', 'label']) {
    const { length } = fields.filter(({ column }) => column === wanted);
    if (length !== 1) return `it has ${length === 0 ? 'no' : 'more than one'} field ${wanted}`;
  }
  const prompt = fields.find(({ column }) => column === 'prompt')?.value;
  const label = fields.find(({ column }) => column === 'label')?.value;
  if (typeof prompt !== 'string') return 'the prompt is no text';
  if (!prompt.isWellFormed()) return 'the prompt holds half a character';
  if (!isScalar(label)) return `the label is not ${readLabelsInWords}`;
  const others = fields.filter(({ column }) => column !== 'prompt' && column !== 'label').map(({ name }) => name);
  return { prompt, label, others };
}

/** The object that a line holds. */
function parsedJson(line: string): object | undefined {
  try {
    const input: unknown = JSON.parse(line);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
