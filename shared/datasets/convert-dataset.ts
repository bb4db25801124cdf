import type { CheckedFile } from './file/checked-file.ts';
import {
  columnName,
  columnsOf,
  type KnownColumns,
  type LabelReader,
  labelReader,
  namesBoth,
  plainName,
  typedName,
} from './columns/column-mapping.ts';
import {
  categoryGuidance,
  columnGuidance,
  type Guidance,
  listGuidance,
  type UnmappedFile,
  wordGuidance,
} from './columns/column-guidance.ts';
import { ColumnSurvey } from './columns/column-survey.ts';
import type { DatasetForm } from './file/dataset-form.ts';
import {
  type FoundProblem,
  inRow,
  type ListedProblems,
  ofFile,
  type Place,
  problemList,
  PromptTally,
} from './file/file-findings.ts';
import { missingField, readPromptObject, whyNoRow } from './json/prompt-object.ts';
import {
  binaryHeader,
  checkedFile,
  columnsProblem,
  maxPromptLabelBytes,
  noRows,
  valueProblems,
} from './prompt-label-csv.ts';
import { readDataset } from './read-dataset.ts';
import type { ReadingOptions } from './columns/column-mapping.ts';
import { WrittenRows } from './written-rows.ts';
import { isWorkbook, readWorkbook } from './workbook/read-workbook.ts';

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
  /** The first row as it was read. */
  readonly first?: ReadRow;
  /** The first prompt with a character beyond ASCII, as it was read. */
  readonly sample?: string;
  /** Options of the mapping that are left to fill in. */
  readonly missing?: readonly string[];
}

/** A row, its prompt cut. */
export interface ReadRow {
  readonly prompt: string;
  readonly label: boolean;
}

/** So much of a prompt is shown. */
function cut(prompt: string): string {
  return prompt.length <= 80 ? prompt : `${prompt.slice(0, 79)}…`;
}

/** Problems that are listed: a person reads no more at once. */
const mostListed = 100;

/** Rows of JSON that are none. To parse a million of them takes half a minute. */
const mostOthers = 1_000;

/**
 * Reads a file in any of the forms of `readDataset`, and writes it in the form that the check
 * `prompt-label-csv` takes. Prompts stay as they are; labels become true and false; other columns
 * and empty rows are left out.
 */
export function convertDataset(file: Uint8Array, options: ReadingOptions = {}): ConvertedDataset {
  const conversion = new Conversion(options);
  if (isWorkbook(file)) readWorkbook(file, conversion, options);
  else readDataset(file, conversion, options);
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
  readonly #written = new WrittenRows();
  #form: DatasetForm | undefined;
  #header: TableHeader | undefined;
  #leftOut: readonly string[] = [];
  #first: ReadRow | undefined;
  #sample: string | undefined;
  /** Rows of JSON that are none. */
  #others = 0;
  /** The row that names both columns, below others. */
  #headerBelow: Place | undefined;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#wanted = columnsOf(options.mapping ?? {});
    this.#labels = labelReader(options.mapping ?? {});
  }

  begin(form: DatasetForm): boolean {
    this.#form = form;
    if (form.header === undefined) return true;
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
    if (this.#written.isTooLarge || fields.every((field) => field.trim() === '')) return;
    if (this.#header === undefined) return this.#takePrompt(fields[0] ?? '', place);
    const { prompt, label, width, isWhole } = this.#header;
    this.#count(fields);
    if (!isWhole) {
      if (namesBoth(fields, this.#wanted)) this.#headerBelow ??= place;
      this.#tally.add(place.row, '', undefined);
    } else if (this.#isRagged(fields, width)) {
      this.#tally.add(place.row, '', undefined);
      this.#problems.add(columnsProblem(place, fields, width));
    } else this.#take(fields[prompt] ?? '', fields[label], place);
  }

  /** A sheet leaves out its empty cells, so a short row of it lacks none. */
  #isRagged(fields: readonly string[], width: number): boolean {
    if (fields.length < width) return this.#form?.kind !== 'sheet';
    return fields.slice(width).some((field) => field.trim() !== '');
  }

  /** Counts the words of a row. They are of use only if no label can be read. */
  #count(fields: readonly string[]): void {
    const { names = [], label = -1, width = 0, isWhole } = this.#header ?? {};
    const isRead = isWhole === true && (label < 0 || this.#labels.read(fields[label] ?? '') !== undefined);
    if (!isRead) this.#survey.add(fields.slice(0, width).map((text, index) => [names[index] ?? '', text] as const));
  }

  json(text: string, place: Place): void {
    if (this.#written.isTooLarge || this.#others > mostOthers) return;
    const found = readPromptObject(text, this.#wanted);
    const none = whyNoRow(found, this.#survey.isFull);
    this.#others += Number(none !== undefined);
    if (this.#others > mostOthers)
      return this.#problems.add(
        ofFile(`row ${place.row} and all behind it were not read: ${mostOthers} rows are ${none}`),
      );
    if (found.kind === 'text') return this.#takeText(found.text, place);
    if (found.kind === 'object') this.#survey.add(found.cells);
    if (found.problem !== undefined) {
      this.#tally.add(place.row, '', undefined);
      const at = { row: place.row, line: place.line + (found.lines ?? 0) };
      return this.#problems.add(inRow(at, found.problem, found.isLabel ? 'label' : undefined));
    }
    for (const name of found.others) {
      if (this.#leftOut.length >= mostListed) break;
      const plain = plainName(name);
      if (!this.#leftOut.includes(plain)) this.#leftOut = [...this.#leftOut, plain];
    }
    this.#take(found.prompt, found.label, place);
  }

  problem(problem: FoundProblem): void {
    if (problem.row !== undefined) this.#tally.add(problem.row, '', undefined);
    this.#problems.add(problem);
  }

  /** An item of JSON that is a text: it has no column. */
  #takeText(text: string, place: Place): void {
    const { promptColumn } = this.#options.mapping ?? {};
    if (promptColumn === undefined) return this.#takePrompt(text, place);
    this.#tally.add(place.row, '', undefined);
    this.#problems.add(inRow(place, `it is a text, without a column ${plainName(promptColumn)}`));
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
    if (this.#sample === undefined && /[^\u0000-\u007f]/.test(prompt)) this.#sample = cut(prompt);
    this.#first ??= { prompt: cut(prompt), label: isBlocking === true };
    this.#written.add(prompt, isBlocking);
  }

  result(): ConvertedDataset {
    const tally = this.#tally.result(1);
    const csv = this.#written.bytes();
    if (this.#written.isTooLarge) {
      const most = maxPromptLabelBytes.toLocaleString('en');
      this.#problems.add(
        ofFile(`it would have more than ${most} bytes, which is the most that a gateway takes: split it`),
      );
    }
    if (this.#problems.isEmpty() && tally.rows === 0)
      this.#problems.add(ofFile(this.#form?.header ? `${this.#inSheet()}${noRows}` : 'the file has no rows'));
    const guidance = tally.rows === 0 ? undefined : this.#guidance(tally.rows);
    if (guidance !== undefined)
      this.#problems.add({ ...ofFile(`${this.#inSheet()}${guidance.says}`), lacks: guidance.lacks });
    const { part, kind } = this.#form ?? {};
    return {
      form: this.#form,
      csv,
      checked: checkedFile(tally, kind === 'sheet' ? part : undefined),
      leftOut: this.#leftOut.map(plainName),
      first: this.#first,
      sample: this.#sample,
      missing: guidance?.missing,
      ...this.#problems.answer(tally.rows),
    };
  }

  #inSheet(): string {
    const { part, kind } = this.#form ?? {};
    return kind === 'sheet' ? `in the sheet ${typedName(part ?? '')} ` : '';
  }

  /** What a person has to say of the columns, if no row can be read without it. */
  #guidance(rows: number): Guidance | undefined {
    if (takesAll(this.#problems, aloneProblem, rows)) return listGuidance(rows);
    if (this.#headerBelow !== undefined)
      return { says: `row ${this.#headerBelow.row} names the columns, not the first: delete what stands above it` };
    const table = this.#unmapped();
    const [lacksPrompt, lacksLabel] = [this.#lacks(this.#wanted.prompt, rows), this.#lacks(this.#wanted.label, rows)];
    if (lacksLabel && this.#form?.kind === 'categories') return categoryGuidance(rows);
    const { label } = this.#wanted;
    const hasLabel = label === undefined || table.names.includes(label);
    // A field of JSON that is looked for second is not seen to be missing.
    if (lacksPrompt || lacksLabel)
      return columnGuidance(table, { prompt: lacksPrompt, label: lacksLabel || !hasLabel });
    return hasLabel ? this.#wordGuidance(table, rows) : undefined;
  }

  #wordGuidance(table: UnmappedFile, rows: number): Guidance | undefined {
    const { label } = this.#wanted;
    if (label === undefined || !takesAll(this.#problems, 'label', rows)) return undefined;
    return wordGuidance(table, label, this.#labels.inWords);
  }

  #unmapped(): UnmappedFile {
    const names = this.#header?.names ?? this.#survey.names();
    const { header: shown = names, isTableBecause } = this.#form ?? {};
    const mayQuote = this.#options.mayQuote === true;
    return { wanted: this.#wanted, names, shown, survey: this.#survey, mayQuote, isTableBecause };
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
