import type { TextEncoding } from '../file/text-encoding.ts';
import { shellWord } from '../../text/command-line.ts';
import { replaceInvisible } from '../../text/visible-text.ts';
import { type FoundProblem, inRow, type Place } from '../file/file-findings.ts';
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

/** How a file is read, beside what the file itself tells. */
export interface ReadingOptions {
  /** The encoding that a person names, for a text without a mark. */
  readonly encoding?: TextEncoding;
  /** The sheet of a workbook that a person names. */
  readonly sheet?: string;
  readonly mapping?: ColumnMapping;
  /** The findings stay with the person who has the file: they may quote it. */
  readonly mayQuote?: boolean;
}

/** How a rule reads the files that it converts. */
export interface RuleConversion extends ColumnMapping {
  readonly encoding?: TextEncoding;
  readonly sheet?: string;
}

/** The names of the two columns, as `columnName` makes them; `label` is absent if the file needs none. */
export interface KnownColumns {
  readonly prompt: string;
  readonly label?: string;
}

/** A column's name as people mean it: headers come in any case, with spaces around. */
export function columnName(header: string): string {
  return /^[\w-]{1,60}$/.test(header) ? header.toLowerCase() : plainName(header).toLowerCase();
}

/** The longest name of a column that is shown. */
const longestName = 60;

/** A column's name as it can be typed: spaces and line breaks are one space, and what cannot be seen is left out. */
export function plainName(header: string): string {
  const spaced = header
    .slice(0, 10 * longestName)
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const signs = Array.from(replaceInvisible(spaced, () => '').trim());
  return signs.length > longestName ? `${signs.slice(0, longestName - 1).join('')}…` : signs.join('');
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
    ...labels.true.map((word) => [labelWord(word), true] as const),
    ...labels.false.map((word) => [labelWord(word), false] as const),
  ]);
  return { read: (text) => words.get(labelWord(text)), inWords: [...labels.true, ...labels.false].join(', ') };
}

function labelWord(text: string): string {
  return text.trim().toLowerCase();
}

/** What is wrong with a mapping as it is written, if anything. Pure. */
export function mappingProblem({ labelColumn, label, labels }: ColumnMapping): string | undefined {
  if (label !== undefined && (labelColumn !== undefined || labels !== undefined))
    return 'one label for the whole file leaves no use for a label column and its words';
  const no = new Set(labels?.false.map(labelWord));
  const both = labels?.true.map(labelWord).find((word) => no.has(word));
  return both === undefined ? undefined : `the word "${both}" cannot mean both true and false`;
}

// What of a file may be quoted outside of it.

/** So many columns are shown. */
const mostNames = 16;

/** Says whether a cell is shaped like a column name: one word. A cell that is not is a piece of a prompt, or of a person's data. */
export function isColumnName(text: string): boolean {
  return text.length <= 40 && /^[\p{L}_][\p{L}\p{M}\p{N}_.:-]*$/u.test(text);
}

/** Quotes a cell that is shaped like a column name or is a short number; of another it says only the size. */
export function shownCell(text: string): string {
  if (text.trim() === '') return '""';
  const isShown = isColumnName(text.trim()) || /^[\d.,+-]{1,6}$/.test(text.trim());
  return isShown ? JSON.stringify(text) : `a text of ${text.length} characters`;
}

/** The names in a header, each as it can be typed. */
export function headerInWords(header: readonly string[]): string {
  const named = header.map(plainName).filter((name) => name !== '');
  const nameless = header.length - named.length;
  return [
    ...named.slice(0, mostNames).map(typedName),
    ...(named.length > mostNames ? [`${named.length - mostNames} more`] : []),
    ...(nameless > 0 ? [`${nameless} without a name`] : []),
  ].join(', ');
}

/** A column's name as a shell takes it. */
export function typedName(name: string): string {
  return isColumnName(name) ? name : shellWord(name);
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
