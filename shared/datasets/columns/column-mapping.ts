import { type FoundProblem, inRow, type Place } from '../file-findings.ts';
import { readLabel, readLabelsInWords } from './label-words.ts';

/** Which column of a file is the prompt, which the label, and which words are its labels. */
export interface ColumnMapping {
  /** @default 'prompt' */
  readonly promptColumn?: string;
  /** @default 'label' */
  readonly labelColumn?: string;
  /** Words that take the place of the known ones, in any case. */
  readonly labels?: { readonly true: readonly string[]; readonly false: readonly string[] };
  /** One label for all rows: the file has no label column. */
  readonly label?: boolean;
}

/** The names of the two columns, as `columnName` makes them; `label` is absent if the file needs none. */
export interface KnownColumns {
  readonly prompt: string;
  readonly label?: string;
}

/** A column's name as people mean it: headers come in any case, with spaces around. */
export function columnName(header: string): string {
  return header.trim().toLowerCase();
}

/** The columns that a mapping names. */
export function columnsOf({ promptColumn, labelColumn, label }: ColumnMapping): KnownColumns {
  return {
    prompt: columnName(promptColumn ?? 'prompt'),
    label: label === undefined ? columnName(labelColumn ?? 'label') : undefined,
  };
}

/** Says whether a header is one of the two columns, or nearly so. */
export function isWanted(header: string, { prompt, label }: KnownColumns): boolean {
  return ['prompt', 'label', 'prompts', 'labels', prompt, label].includes(columnName(header));
}

/** Says whether a header has all the columns that are needed. */
export function namesBoth(header: readonly string[], { prompt, label }: KnownColumns): boolean {
  const names = new Set(header.map(columnName));
  return names.has(prompt) && (label === undefined || names.has(label));
}

/** How a mapping reads a label. */
export interface LabelReader {
  readonly read: (text: string) => boolean | undefined;
  /** The words that it reads. */
  readonly inWords: string;
}

/** Reads labels by the words of the mapping, or by the known ones. */
export function labelReader({ labels }: ColumnMapping): LabelReader {
  if (labels === undefined) return { read: readLabel, inWords: readLabelsInWords };
  const words = new Map([
    ...labels.true.map((word) => [columnName(word), true] as const),
    ...labels.false.map((word) => [columnName(word), false] as const),
  ]);
  return { read: (text) => words.get(columnName(text)), inWords: [...labels.true, ...labels.false].join(', ') };
}

/** What is wrong with a mapping as it is written, if anything. Pure. */
export function mappingProblem({ labelColumn, label, labels }: ColumnMapping): string | undefined {
  if (label !== undefined && (labelColumn !== undefined || labels !== undefined))
    return 'one label for the whole file leaves no use for a label column and its words';
  const no = new Set(labels?.false.map(columnName));
  const both = labels?.true.map(columnName).find((word) => no.has(word));
  return both === undefined ? undefined : `the word "${both}" cannot mean both true and false`;
}

// What of a file may be quoted outside of it.

/** The longest name of a column that is shown. */
const longestName = 40;
/** And this many of them. */
const mostNames = 16;

/** Says whether a cell is shaped like a column name: one word. A cell that is not is a piece of a prompt, or of a person's data. */
export function isColumnName(text: string): boolean {
  return text.length <= longestName && /^[\p{L}_][\p{L}\p{M}\p{N}_.:-]*$/u.test(text);
}

/** Quotes a cell that is shaped like a column name or is a short number; of another it says only the size. */
export function shownCell(text: string): string {
  if (text.trim() === '') return '""';
  const isShown = isColumnName(text.trim()) || /^[\d.,+-]{1,6}$/.test(text.trim());
  return isShown ? JSON.stringify(text) : `a text of ${text.length} characters`;
}

/** The names in a header, without what may be content of the file. */
export function headerInWords(header: readonly string[]): string {
  const shown = header.slice(0, mostNames).map((name) => {
    if (name.trim() === '') return '(no name)';
    return isColumnName(name.trim()) ? name.trim() : '(a text)';
  });
  return [...shown, ...(header.length > mostNames ? [`${header.length - mostNames} more`] : [])].join(', ');
}

// Sentences about a label.

/** What is wrong with a label that is not read. */
export function labelProblem(place: Place, label: string, wanted: string): FoundProblem {
  const invisible = invisibleIn(label);
  const says =
    invisible === undefined
      ? `the label is ${shownCell(label)}, not ${wanted}${remedyOf(label, wanted)}`
      : `the label holds ${invisible}, which is invisible`;
  return inRow(place, says, 'label');
}

/** If a conversion reads the label, a person need not correct it. */
function remedyOf(label: string, wanted: string): string {
  const isBlocking = wanted === readLabelsInWords ? undefined : readLabel(label);
  return isBlocking === undefined ? '' : ` (--convert writes ${String(isBlocking)})`;
}

function invisibleIn(label: string): string | undefined {
  const sign = /[\p{Cf}\p{Cc}]/u.exec(label)?.[0];
  const code = sign?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return code === undefined ? undefined : `U+${code}`;
}
