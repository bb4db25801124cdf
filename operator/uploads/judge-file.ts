import { type ColumnMapping, mappingProblem } from '#shared/datasets/columns/column-mapping.ts';
import { convertDataset } from '#shared/datasets/convert-dataset.ts';
import type { ListedProblems } from '#shared/datasets/file-findings.ts';
import {
  checkedWarnings,
  checkPromptLabelCsv,
  delimiterInWords,
  maxPromptLabelBytes,
} from '#shared/datasets/prompt-label-csv.ts';
import type { DatasetForm } from '#shared/datasets/dataset-form.ts';
import { readLabel } from '#shared/datasets/columns/label-words.ts';
import type { ReadingOptions } from '#shared/datasets/read-dataset.ts';
import { fieldsOf } from '#shared/datasets/table/table-parser.ts';
import { encodingNamed, type TextEncoding } from '#shared/datasets/text-encoding.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import { UsageError } from '../errors.ts';
import type { StageDatasetRule } from '../stage/stage-config.ts';
import { isWorkbook, readWorkbook } from '#shared/datasets/workbook/read-workbook.ts';
import { readFileOnce, type UploadSource } from './upload-source.ts';

/** What a file of prompts is worth to a gateway. */
export interface JudgedFile extends ListedProblems {
  readonly file: string;
  /** `ready`: the gateway reads it as it is. `convertible`: as `upload --convert` writes it. `problems`: not before they are mended. */
  readonly verdict: 'ready' | 'convertible' | 'problems';
  /** What a conversion changes. */
  readonly changes: readonly string[];
  readonly rows: number;
  /** Rows labelled true. */
  readonly blocking: number;
  /** What a person may want to correct; nothing is refused for it. */
  readonly warnings: readonly string[];
  /** The first prompt beyond ASCII as it was read, if the file is to be converted. */
  readonly sample?: string;
  /** Options of the mapping that are left to fill in. */
  readonly missing?: readonly string[];
}

/** The encoding that a person names. */
export function encodingOf(word: string | undefined): TextEncoding | undefined {
  const named = word === undefined ? undefined : encodingNamed(word);
  if (word !== undefined && named === undefined)
    throw new UsageError(`--encoding ${word} is not known: give one such as windows-1251, gb18030 or shift_jis`);
  return named;
}

/** The mapping that a person gives, by the names of its options. */
export function mappingOf(text: (name: string) => string | undefined): ColumnMapping | undefined {
  const [yes, no, label] = [text('true'), text('false'), text('label')];
  if ((yes === undefined) !== (no === undefined))
    throw new UsageError('--true and --false go together: each label needs its words');
  const one = label === undefined ? undefined : readLabel(label);
  if (label !== undefined && one === undefined) throw new UsageError(`--label ${label}: give true or false`);
  const mapping: ColumnMapping = {
    promptColumn: text('prompt-column'),
    labelColumn: text('label-column'),
    labels: yes === undefined || no === undefined ? undefined : { true: wordsIn(yes), false: wordsIn(no) },
    label: one,
  };
  const problem = mappingProblem(mapping);
  if (problem !== undefined) throw new UsageError(`the options do not fit together: ${problem}`);
  return Object.values(mapping).every((value) => value === undefined) ? undefined : mapping;
}

/** Words between commas; one that has a comma stands in quotes. */
function wordsIn(given: string): readonly string[] {
  return fieldsOf(given, ',').map((word) => word.trim());
}

/** Judges a file of this machine, or standard input (`-`). It is read once. */
export async function judgeFile(file: string, options?: ReadingOptions): Promise<JudgedFile> {
  return judgeBytes(file, await readFileOnce(file), options);
}

/** Judges the bytes of a file that is not on this machine's disk. */
export function judgeBytes(file: string, bytes: Uint8Array, options?: ReadingOptions): JudgedFile {
  const { csv: _csv, ...judged } = judge(file, bytes, options);
  return judged;
}

/** Files to upload as their judgement divides them. */
export interface JudgedSources {
  /** What goes to the stage, each with its judgement if it was judged. */
  readonly sources: readonly UploadSource[];
  readonly judged: readonly (JudgedFile | undefined)[];
  /** What the check refuses, so that it is not sent. */
  readonly refused: readonly JudgedFile[];
}

/** Judges and converts files before the first is sent. A file that is ready keeps its bytes; one with problems keeps no other back. */
export async function convertSources(
  sources: readonly UploadSource[],
  options?: ReadingOptions,
): Promise<JudgedSources> {
  return divided(sources, async (source) => {
    const { csv, ...judged } = judge(source.file, source.body, options);
    const isGood = judged.verdict !== 'problems';
    return { judged, source: isGood ? { ...source, contentType: 'text/csv', body: csv ?? source.body } : undefined };
  });
}

/** Judges each file by the check of the rule that it meets: what would be parked is refused here. */
export async function checkSources(
  sources: readonly UploadSource[],
  rules: readonly StageDatasetRule[],
): Promise<JudgedSources> {
  return divided(sources, async (source) => {
    const rule = chooseRule(rules, source.key);
    if (rule?.check !== 'prompt-label-csv') return { source };
    const judged = judgeBytes(source.file, source.body, {
      mapping: rule.convert,
      encoding: rule.convert?.encoding,
    });
    const isGood = judged.verdict === 'ready' || (rule.convert !== undefined && judged.verdict === 'convertible');
    return { judged, source: isGood ? source : undefined };
  });
}

async function divided(
  given: readonly UploadSource[],
  judgeOne: (
    source: UploadSource,
  ) => Promise<{ readonly judged?: JudgedFile; readonly source?: UploadSource | undefined }>,
): Promise<JudgedSources> {
  const [sources, judged, refused]: [UploadSource[], (JudgedFile | undefined)[], JudgedFile[]] = [[], [], []];
  for (const one of given) {
    const found = await judgeOne(one);
    if (found.source === undefined) {
      if (found.judged !== undefined) refused.push(found.judged);
      continue;
    }
    sources.push(found.source);
    judged.push(found.judged);
  }
  return { sources, judged, refused };
}

type Judged = JudgedFile & { readonly csv?: Uint8Array };

function judge(file: string, bytes: Uint8Array, options: ReadingOptions = {}): Judged {
  if (!isWorkbook(bytes)) return judgeText(file, bytes, options);
  const read = readWorkbook(bytes);
  if (!read.ok) {
    const { problem } = read;
    const nothing = { changes: [], rows: 0, blocking: 0, warnings: [], more: 0 };
    return { file, verdict: 'problems', ...nothing, problems: [problem], problemsByRow: [{ says: problem }] };
  }
  const { csv, change } = read;
  const judged = judgeText(file, csv, options);
  return judged.verdict === 'problems'
    ? judged
    : { ...judged, verdict: 'convertible', changes: [change, ...judged.changes], csv: judged.csv ?? csv };
}

function judgeText(file: string, bytes: Uint8Array, options: ReadingOptions): Judged {
  const check = checkPromptLabelCsv(bytes);
  if (check.ok && bytes.length <= maxPromptLabelBytes && options.mapping === undefined) {
    const { rows, blocking } = check.checked;
    const nothing = { changes: [], problems: [], problemsByRow: [], more: 0 };
    return { file, verdict: 'ready', rows, blocking, ...nothing, warnings: checkedWarnings(check.checked) };
  }
  const read = convertDataset(bytes, { ...options, mayQuote: true });
  const { form, csv, leftOut, checked, sample, missing, problems, problemsByRow, more } = read;
  const { rows, blocking } = checked;
  const found = { file, rows, blocking, problems, problemsByRow, more };
  if (problems.length > 0) return { ...found, verdict: 'problems', changes: [], warnings: [], missing };
  const changes = [...changesIn(form, leftOut), ...mappingChanges(options.mapping)];
  return { ...found, verdict: 'convertible', changes, warnings: checkedWarnings(checked), sample, csv };
}

function mappingChanges({ promptColumn, labelColumn, labels, label }: ColumnMapping = {}): readonly string[] {
  return [
    ...(promptColumn === undefined ? [] : [`the column ${promptColumn} becomes prompt`]),
    ...(labelColumn === undefined ? [] : [`the column ${labelColumn} becomes label`]),
    ...(label === undefined
      ? [labels === undefined ? 'labels become true and false' : labelChanges(labels)]
      : [`each row gets the label ${String(label)}`]),
  ];
}

function labelChanges(labels: NonNullable<ColumnMapping['labels']>): string {
  return `${labels.true.join(', ')} becomes true; ${labels.false.join(', ')} becomes false`;
}

function changesIn(form: DatasetForm | undefined, leftOut: readonly string[]): readonly string[] {
  if (form === undefined) return [];
  const named = leftOut.filter((name) => name !== '');
  const nameless = leftOut.length - named.length;
  const columns = [
    ...named,
    ...(nameless === 0 ? [] : [`${named.length === 0 ? '' : 'and '}${nameless} without a name`]),
  ];
  return [
    ...(form.encoding === 'utf-8' ? [] : [`${form.encoding.toUpperCase()} becomes UTF-8`]),
    ...formChanges(form),
    ...(leftOut.length === 0 ? [] : [`left out: the column${leftOut.length === 1 ? '' : 's'} ${columns.join(', ')}`]),
  ];
}

function formChanges(form: DatasetForm): readonly string[] {
  if (form.kind === 'table') return form.delimiter === ',' ? [] : [`${delimiterInWords(form.delimiter)} become commas`];
  return [
    {
      'json-lines': 'JSON Lines becomes CSV',
      'json-array': 'the JSON array becomes CSV',
      list: 'each line becomes a prompt',
    }[form.kind],
  ];
}
