import type { FoundProblem } from '../file/file-findings.ts';
import { headerInWords, isWanted, type KnownColumns, typedName } from './column-mapping.ts';
import type { ColumnSurvey } from './column-survey.ts';
import { readLabel } from './label-words.ts';

/** What a person has to say of a file before it can be read. */
export interface Guidance {
  readonly says: string;
  /** Options of the mapping that are left to fill in. */
  readonly missing?: readonly string[];
  readonly lacks?: FoundProblem['lacks'];
}

/** A file as far as it is known without its mapping. */
export interface UnmappedFile {
  readonly wanted: KnownColumns;
  /** The columns, as `columnName` makes them. */
  readonly names: readonly string[];
  /** The same as they stand in the file. */
  readonly shown: readonly string[];
  readonly survey: ColumnSurvey;
  /** The findings stay with the person who has the file: they may quote it. */
  readonly mayQuote: boolean;
  /** Why lines without a known header are a table. */
  readonly isTableBecause?: string;
}

/** Guidance for prompts that stand alone. */
export function listGuidance(rows: number): Guidance {
  return {
    says: `the file is a list of ${rows} prompt${rows === 1 ? '' : 's'}, without labels`,
    missing: ['--label', 'LABEL'],
  };
}

/** Guidance for lists of texts in a JSON object. */
export function categoryGuidance(rows: number): Guidance {
  const says = `the file is lists by category, of ${rows} prompts without labels; the category is the column category`;
  return { says, missing: ['--label', 'LABEL'] };
}

/** Guidance for labels of which none is known. */
export function wordGuidance({ survey, mayQuote }: UnmappedFile, label: string, wanted: string): Guidance {
  const words = mayQuote ? survey.wordsOf(label) : 'other words';
  const says = `no label of the column ${typedName(label)} is ${wanted}: it holds ${words}`;
  return { says, missing: ['--true', 'WORDS', '--false', 'WORDS'] };
}

/** Guidance for a file that lacks one of its columns, or both. */
export function columnGuidance(
  file: UnmappedFile,
  lacks: { readonly prompt: boolean; readonly label: boolean },
): Guidance {
  const { wanted, names, mayQuote } = file;
  const isHeader = names.some((name) => isWanted(name, wanted));
  if (!isHeader && names.some((name) => readLabel(name) !== undefined))
    return { says: 'the file has no header: its first row must name the columns prompt and label' };
  const likely = lacks.label && mayQuote ? file.survey.likely(wanted.prompt, file.shown) : [];
  const found = mayQuote || isHeader ? columnsInWords(file.shown) : 'the first row names neither';
  const says = `${lackingWords(wanted, lacks)}: ${found}${reasons(file, likely)}`;
  // Then no option can name one.
  if (file.shown.length === 0) return { says };
  return {
    says,
    lacks: (['prompt', 'label'] as const).filter((name) => lacks[name]),
    missing: [
      ...(lacks.prompt ? ['--prompt-column', 'COLUMN'] : []),
      ...(lacks.label ? labelOption(likely.length > 0) : []),
    ],
  };
}

function lackingWords({ prompt, label = '' }: KnownColumns, lacks: Parameters<typeof columnGuidance>[1]): string {
  const lacking = [...(lacks.prompt ? [prompt] : []), ...(lacks.label ? [label] : [])];
  return `there is no column ${lacking.map(typedName).join(' and no column ')}`;
}

function columnsInWords(shown: readonly string[]): string {
  return shown.length === 0 ? 'it has no columns' : `the columns are ${headerInWords(shown)}`;
}

/** Which column may be the label, and why the file is a table. */
function reasons({ isTableBecause }: UnmappedFile, likely: readonly string[]): string {
  const labels = likely.length === 0 ? '' : `; the label may be ${likely.join(' or ')}`;
  return isTableBecause === undefined ? labels : `${labels}. It is no list of prompts: ${isTableBecause}`;
}

function labelOption(hasColumn: boolean): readonly string[] {
  return hasColumn ? ['--label-column', 'COLUMN'] : ['--label', 'LABEL'];
}
