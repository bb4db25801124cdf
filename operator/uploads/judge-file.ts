import { type ColumnMapping, typedName } from '#shared/datasets/columns/column-mapping.ts';
import { convertDataset, type ReadRow } from '#shared/datasets/convert-dataset.ts';
import type { ListedProblems } from '#shared/datasets/file/file-findings.ts';
import {
  checkedWarnings,
  checkPromptLabelCsv,
  delimiterInWords,
  maxPromptLabelBytes,
} from '#shared/datasets/prompt-label-csv.ts';
import type { DatasetForm } from '#shared/datasets/file/dataset-form.ts';
import type { ReadingOptions } from '#shared/datasets/columns/column-mapping.ts';

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
  /** The first row as it was read, if the file is to be converted. */
  readonly first?: ReadRow;
  /** The first prompt beyond ASCII as it was read, if the file is to be converted. */
  readonly sample?: string;
  /** Options of the mapping that are left to fill in. */
  readonly missing?: readonly string[];
}

/** A judgement, with what a conversion makes of the file. */
export type JudgedContent = JudgedFile & { readonly csv?: Uint8Array };

/** Judges the bytes of a file. A hostile file may take long, or much memory: `file-looker.ts` does it in a thread. Pure. */
export function judgeContent(file: string, bytes: Uint8Array, options: ReadingOptions = {}): JudgedContent {
  const check = checkPromptLabelCsv(bytes);
  if (check.ok && bytes.length <= maxPromptLabelBytes && options.mapping === undefined) {
    const { rows, blocking } = check.checked;
    const nothing = { changes: [], problems: [], problemsByRow: [], more: 0 };
    return { file, verdict: 'ready', rows, blocking, ...nothing, warnings: checkedWarnings(check.checked) };
  }
  const read = convertDataset(bytes, { ...options, mayQuote: true });
  const { form, csv, leftOut, checked, first, sample, missing, problems, problemsByRow, more } = read;
  const { rows, blocking } = checked;
  const found = { file, rows, blocking, problems, problemsByRow, more };
  if (problems.length > 0) return { ...found, verdict: 'problems', changes: [], warnings: [], missing };
  const changes = [...changesIn(form, leftOut), ...mappingChanges(options.mapping)];
  return { ...found, verdict: 'convertible', changes, warnings: checkedWarnings(checked), first, sample, csv };
}

/** The judgement of a file that cannot be read to its end. */
export function unreadable(file: string, problem: string): JudgedFile {
  const nothing = { changes: [], rows: 0, blocking: 0, warnings: [], more: 0 };
  return { file, verdict: 'problems', ...nothing, problems: [problem], problemsByRow: [{ says: problem }] };
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
  if (form.kind === 'table')
    return [',', undefined].includes(form.delimiter) ? [] : [`${delimiterInWords(form.delimiter ?? '')} become commas`];
  return [
    {
      'json-lines': 'JSON Lines becomes CSV',
      'json-array': 'the JSON array becomes CSV',
      'json-list': `the list ${form.part ?? ''} of the JSON object becomes CSV`,
      categories: 'the JSON lists by category become CSV',
      sheet: `the sheet ${typedName(form.part ?? '')} becomes CSV`,
      list: form.delimiter === undefined ? 'each line becomes a prompt' : 'each quoted line becomes a prompt',
    }[form.kind],
  ];
}
