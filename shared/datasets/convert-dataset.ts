import type { CheckedFile } from '../ledger/rows/upload-row.ts';
import {
  columnName,
  columnsOf,
  type KnownColumns,
  type LabelReader,
  labelReader,
  namesBoth,
} from './columns/column-mapping.ts';
import {
  columnGuidance,
  type Guidance,
  listGuidance,
  type UnmappedFile,
  wordGuidance,
} from './columns/column-guidance.ts';
import { ColumnSurvey } from './columns/column-survey.ts';
import type { DatasetForm } from './dataset-form.ts';
import {
  type FoundProblem,
  inRow,
  type ListedProblems,
  ofFile,
  type Place,
  problemList,
  PromptTally,
} from './file-findings.ts';
import { missingField, readPromptObject } from './json/prompt-object.ts';
import {
  binaryHeader,
  checkedFile,
  columnsProblem,
  maxPromptLabelBytes,
  noRows,
  valueProblems,
} from './prompt-label-csv.ts';
import { readDataset, type ReadingOptions } from './read-dataset.ts';

/** A file of prompts as people have it, read into the form that a gateway reads. */
export interface ConvertedDataset extends ListedProblems {
  /** The form that the file has; absent if it is unknown. */
  readonly form?: DatasetForm;
  /** The file as `prompt,label` in UTF-8, if `problems` is empty. */
  readonly csv: Buffer;
  /** Rows, labels, and what a person may want to correct. */
  readonly checked: CheckedFile;
  /** Names of the columns that are left out. */
  readonly leftOut: readonly string[];
  /** The first prompt with a character beyond ASCII, as it was read. */
  readonly sample?: string;
  /** Options of the mapping that are left to fill in. */
  readonly missing?: readonly string[];
}

/** Problems that are listed: a person reads no more at once. */
const mostListed = 100;

/**
 * Reads a file in any of the forms of `readDataset`, and writes it in the form that the check
 * `prompt-label-csv` takes. Prompts stay as they are; labels become true and false; other columns
 * and empty rows are left out.
 */
export function convertDataset(file: Uint8Array, options: ReadingOptions = {}): ConvertedDataset {
  const conversion = new Conversion(options);
  readDataset(file, conversion, options);
  return conversion.result();
}

/** The header of a table, and the width of its rows. */
interface TableHeader {
  readonly names: readonly string[];
  readonly prompt: number;
  readonly label: number;
  readonly width: number;
  /** It has the columns that are needed. */
  readonly isWhole: boolean;
}

class Conversion {
  readonly #options: ReadingOptions;
  readonly #wanted: KnownColumns;
  readonly #labels: LabelReader;
  readonly #problems = problemList(mostListed);
  readonly #tally = new PromptTally();
  readonly #survey = new ColumnSurvey();
  #written = 'prompt,label\n';
  #writtenBytes = 0;
  #form: DatasetForm | undefined;
  #header: TableHeader | undefined;
  #leftOut: readonly string[] = [];
  #sample: string | undefined;
  /** The row that names both columns, below others. */
  #headerBelow: Place | undefined;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#wanted = columnsOf(options.mapping ?? {});
    this.#labels = labelReader(options.mapping ?? {});
  }

  begin(form: DatasetForm): boolean {
    this.#form = form;
    if (form.kind !== 'table') return true;
    const names = form.header.map(columnName);
    const { prompt, label } = this.#wanted;
    const twice = [prompt, label].find((name) => name !== undefined && names.indexOf(name) !== names.lastIndexOf(name));
    const problem = binaryHeader(form.header) ?? (twice && `the header has twice the column ${twice}`);
    if (problem !== undefined) this.#problems.add(ofFile(problem));
    const labelAt = label === undefined ? -1 : names.indexOf(label);
    const width = names.findLastIndex((name) => name !== '') + 1;
    const isWhole = namesBoth(names, this.#wanted);
    this.#header = { names, prompt: names.indexOf(prompt), label: labelAt, width, isWhole };
    this.#leftOut = form.header
      .slice(0, width)
      .filter((_name, index) => ![names.indexOf(prompt), labelAt].includes(index));
    return problem === undefined;
  }

  row(fields: readonly string[], place: Place): void {
    // A spreadsheet keeps its empty rows.
    if (fields.every((field) => field.trim() === '')) return;
    if (this.#header === undefined) return this.#takePrompt(fields[0] ?? '', place);
    const { prompt, label, width, isWhole } = this.#header;
    this.#count(fields);
    if (!isWhole) {
      if (namesBoth(fields, this.#wanted)) this.#headerBelow ??= place;
      this.#tally.add(place.row, '', undefined);
    } else if (fields.length < width || fields.slice(width).some((field) => field.trim() !== '')) {
      this.#tally.add(place.row, '', undefined);
      this.#problems.add(columnsProblem(place, fields, width));
    } else this.#take(fields[prompt] ?? '', fields[label], place);
  }

  /** Counts the words of a row. They are of use only if no label can be read. */
  #count(fields: readonly string[]): void {
    const { names = [], label = -1, width = 0, isWhole } = this.#header ?? {};
    const isRead = isWhole === true && (label < 0 || this.#labels.read(fields[label] ?? '') !== undefined);
    if (!isRead) this.#survey.add(fields.slice(0, width).map((text, index) => [names[index] ?? '', text] as const));
  }

  json(text: string, place: Place): void {
    const found = readPromptObject(text, this.#wanted);
    if (found.kind === 'text') return this.#takePrompt(found.text, place);
    if (found.kind === 'object') this.#survey.add(found.cells);
    if (found.problem !== undefined) {
      this.#tally.add(place.row, '', undefined);
      this.#problems.add(inRow(place, found.problem, found.isLabel ? 'label' : undefined));
      return;
    }
    if (this.#leftOut.length < mostListed) this.#leftOut = [...new Set([...this.#leftOut, ...found.others])];
    this.#take(found.prompt, found.label, place);
  }

  problem(problem: FoundProblem): void {
    if (problem.row !== undefined) this.#tally.add(problem.row, '', undefined);
    this.#problems.add(problem);
  }

  /** A prompt that stands alone. */
  #takePrompt(prompt: string, place: Place): void {
    if (this.#wanted.label !== undefined) this.#problems.add(inRow(place, aloneProblem));
    if (this.#wanted.label === undefined) this.#take(prompt, undefined, place);
    else this.#tally.add(place.row, prompt, undefined);
  }

  #take(prompt: string, label: string | undefined, place: Place): void {
    const isBlocking = this.#options.mapping?.label ?? this.#labels.read(label ?? '');
    this.#tally.add(place.row, prompt, isBlocking);
    this.#problems.add(...valueProblems(place, { prompt, label: label ?? '', isBlocking }, this.#labels.inWords));
    // oxlint-disable-next-line no-control-regex -- all of ASCII, control characters included
    if (this.#sample === undefined && /[^\u0000-\u007f]/.test(prompt)) this.#sample = prompt.slice(0, 80);
    const row = `${csvField(prompt)},${String(isBlocking)}\n`;
    this.#writtenBytes += Buffer.byteLength(row);
    // What the gateway would not take need not be held.
    if (this.#writtenBytes <= maxPromptLabelBytes) this.#written += row;
  }

  result(): ConvertedDataset {
    const tally = this.#tally.result(1);
    if (this.#writtenBytes > maxPromptLabelBytes) {
      const says = `it would have ${this.#writtenBytes} bytes, and a gateway takes ${maxPromptLabelBytes}: split it`;
      this.#problems.add(ofFile(says));
    }
    if (this.#problems.isEmpty() && tally.rows === 0) this.#problems.add(ofFile(noRows));
    const guidance = tally.rows === 0 ? undefined : this.#guidance(tally.rows);
    if (guidance !== undefined) this.#problems.add(ofFile(guidance.says));
    const leftOut = this.#leftOut.map((name) => name.trim());
    const csv = Buffer.from(this.#written);
    const { rows } = tally;
    const found = { form: this.#form, csv, checked: checkedFile(tally), leftOut, sample: this.#sample };
    return { ...found, missing: guidance?.missing, ...this.#problems.answer(rows) };
  }

  /** What a person has to say of the columns, if no row can be read without it. */
  #guidance(rows: number): Guidance | undefined {
    if (takesAll(this.#problems, aloneProblem, rows)) return listGuidance(rows);
    if (this.#headerBelow !== undefined)
      return { says: `row ${this.#headerBelow.row} names the columns, not the first: delete what stands above it` };
    const table = this.#unmapped();
    const [lacksPrompt, lacksLabel] = [this.#lacks(this.#wanted.prompt, rows), this.#lacks(this.#wanted.label, rows)];
    if (lacksPrompt || lacksLabel) {
      // A field of JSON that is looked for second is not seen to be missing.
      const lacksBoth = lacksPrompt && this.#wanted.label !== undefined && !table.names.includes(this.#wanted.label);
      return columnGuidance(table, { prompt: lacksPrompt, label: lacksLabel || lacksBoth });
    }
    const { label } = this.#wanted;
    if (label === undefined || !table.names.includes(label) || !takesAll(this.#problems, 'label', rows))
      return undefined;
    return wordGuidance(table, label, this.#labels.inWords);
  }

  #unmapped(): UnmappedFile {
    const names = this.#header?.names ?? this.#survey.names();
    const shown = this.#form?.kind === 'table' ? this.#form.header : names;
    const mayQuote = this.#options.mayQuote === true;
    return { wanted: this.#wanted, names, shown, survey: this.#survey, mayQuote };
  }

  /** Returns true if the file has no such column, or no object has such a field. */
  #lacks(name: string | undefined, rows: number): boolean {
    if (name === undefined) return false;
    if (this.#header !== undefined) return !this.#header.names.includes(name);
    return takesAll(this.#problems, missingField(name), rows);
  }
}

const aloneProblem = 'it is a prompt without a label';

/** Returns true if each row has this problem, and takes it away: one sentence will speak of it. */
function takesAll(problems: ReturnType<typeof problemList>, kind: string, rows: number): boolean {
  return problems.count(kind) === rows && problems.drop(kind);
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
