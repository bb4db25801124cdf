import { basename } from 'node:path';
import { UsageError } from '#operator/errors.ts';
import { counted } from '#operator/readable.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import { type PlannedUpload, plannedUpload } from '#operator/uploads/upload-source.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import type { TextScreen } from '../terminal/times.ts';

/** Options that say which columns and words of a file are its prompts and labels. */
export const mappingOptions = {
  '--prompt-column <NAME>': 'the column of the prompts (default prompt)',
  '--label-column <NAME>': 'the column of the labels (default label)',
  '--true <W,W>': 'the words of the label true, in place of true, 1, yes and those of spreadsheets',
  '--false <W,W>': 'the words of the label false; a word with a comma stands in double quotes',
  '--label <LABEL>': 'one label for all rows: true or false',
  '--sheet <NAME>': 'the sheet of a workbook (default the first visible one that has the columns)',
  '--encoding <E>': 'of an older file: windows-1251, gb18030, shift_jis, …',
} satisfies LineSpec['options'];
const mappingNames = ['prompt-column', 'label-column', 'true', 'false', 'label', 'sheet'];

/** The same, which the help of `autopilot check` explains. */
export const hiddenMapping = Object.fromEntries(
  Object.keys(mappingOptions).map((flags) => [flags, { says: '', isHidden: true }]),
);

/** Options whose value travels as user metadata, `--file-id` as `x-amz-meta-file-id`. */
const metadataOptions = ['file-id', 'name', 'scanner-id', 'scanner-package-id', 'scanner-versions'] as const;

/** Decides keys and metadata of an upload; nothing is read or sent. */
export function planUploads(args: CommandArguments): readonly PlannedUpload[] {
  const files = args.positionals;
  const key = args.text('key');
  if (key !== undefined && files.length > 1) throw new UsageError('--key names one object: give one file with it');
  if (files.length > 1 && args.text('file-id') !== undefined) {
    throw new UsageError('--file-id is the id of one file: upload the others by themselves, or let the rule name them');
  }
  const metadata = metadataOf(args);
  const prefix = wholePrefix(args.text('prefix') ?? '');
  const planned = files.map((file) => plannedUpload(file, key ?? `${prefix}${nameOf(file, args)}`, metadata));
  checkConversion(args);
  const twice = planned.find(({ key: one }, index) => planned.findIndex((other) => other.key === one) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `two of the files would become ${twice.key}: upload them one after the other, with --key or --prefix`,
    );
  }
  return planned;
}

function checkConversion(args: CommandArguments): void {
  if (args.flag('convert')) return;
  const given = ['encoding', ...mappingNames].find((name) => args.text(name) !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} goes with --convert`);
}

/** A converted file is a CSV file. */
function nameOf(file: string, args: CommandArguments): string {
  const name = basename(file);
  return args.flag('convert') ? name.replace(/\.(?:tsv|txt|jsonl|ndjson|json|xlsx)$/i, '.csv') : name;
}

/** A prefix as a person writes it, whole: `pii` below `datasets/` is `datasets/pii/`. */
export function wholePrefix(given: string): string {
  const prefix = `${given.replace(/^\/+|\/+$/g, '')}/`;
  return prefix.startsWith(datasetsPrefix) ? prefix : `${datasetsPrefix}${prefix === '/' ? '' : prefix}`;
}

function metadataOf(args: CommandArguments): Readonly<Record<string, string>> {
  const given = metadataOptions.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [[name, withoutControls(name, value.trim())] as const];
  });
  return Object.fromEntries(given);
}

function withoutControls(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a header
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new UsageError(`--${name} holds control characters`);
  return value;
}

function optionWords(args: Pick<CommandArguments, 'text'>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

/** Options of an upload that its conversion keeps. */
const keptOptions = ['prefix', 'key', 'encoding', ...mappingNames, ...metadataOptions];

/**
 * The command that uploads a converted file, with the options of this one. A name that no key can have gets a key.
 * @param more - options that this command line lacks
 */
export function convertCommand(
  file: string,
  args: Pick<CommandArguments, 'text'>,
  more: readonly string[] = [],
): readonly string[] {
  // A key is whole: a prefix beside it would be refused.
  const isDropped = (name: string) => more.includes(`--${name}`) || (name === 'prefix' && more.includes('--key'));
  const kept = optionWords(
    args,
    keptOptions.filter((name) => !isDropped(name)),
  );
  const name = basename(file).replaceAll(/\p{Cc}+/gu, '-');
  const isNamed = name === basename(file) || [...kept, ...more].includes('--key');
  const key = isNamed ? [] : ['--key', `${datasetsPrefix}${name}`];
  return ['autopilot', 'upload', fileWord(file), '--convert', ...kept, ...key, ...more];
}

/** A dash would begin an option; standard input is read already. */
function fileWord(file: string): string {
  if (file === '-') return 'FILE';
  return file.startsWith('-') ? `./${file}` : file;
}

/** The words to replace in the options that a mapping lacks. */
export function blanksOf(missing: readonly string[]): string {
  return [...new Set(missing.filter((word) => !word.startsWith('--')))].join(' and ');
}

/** The check of a file with what its mapping lacks, left to fill in. */
function mappedCheckCommand(
  { file, missing = [] }: JudgedFile,
  args: Pick<CommandArguments, 'text'>,
): readonly string[] {
  const kept = ['encoding', ...mappingNames].filter((name) => !missing.includes(`--${name}`));
  return ['autopilot', 'check', fileWord(file), ...optionWords(args, kept), ...missing];
}

/**
 * What a check found in a file: in a line if it goes through, else a line for each problem.
 * @param args - the command line, whose options the next step keeps
 */
export function judgedLines(
  judged: JudgedFile,
  args: Pick<CommandArguments, 'text'>,
  { paint, line }: Pick<TextScreen, 'paint' | 'line'>,
): readonly string[] {
  const { file } = judged;
  const balance = `${counted(judged.rows, 'row')}, ${judged.blocking} true and ${judged.rows - judged.blocking} false`;
  const warnings = judged.warnings.map((warning) => paint('yellow', `  warning: ${warning}`));
  switch (judged.verdict) {
    case 'ready':
      return [`${file}: ${paint('green', 'ready')}: ${balance}`, ...warnings];
    case 'convertible':
      return [
        `${file}: ${paint('yellow', 'goes through with --convert')}: ${balance}`,
        `  changes: ${judged.changes.join('; ')}`,
        ...rowLines(judged),
        ...warnings,
        `  next: ${line(convertCommand(file, args))}`,
      ];
    case 'problems':
      return [
        `${file}: ${paint('red', counted(judged.problems.length + judged.more, 'problem'))}`,
        ...problemLines(judged),
        ...(judged.missing === undefined
          ? []
          : [`  next, with ${blanksOf(judged.missing)} filled in: ${line(mappedCheckCommand(judged, args))}`]),
      ];
  }
}

/** What was read of a file that is converted: its first row, the rows of each label, its first prompt beyond ASCII. */
export function rowLines({ first, sample, rows, blocking }: JudgedFile): readonly string[] {
  if (first === undefined) return [];
  const isOther = sample !== undefined && sample !== first.prompt;
  return [
    `  the first of ${counted(rows, 'row')} (${blocking} true, ${rows - blocking} false) reads: ${JSON.stringify(first.prompt)}, ${String(first.label)}`,
    ...(isOther ? [`  the first prompt beyond ASCII reads: ${JSON.stringify(sample)}`] : []),
  ];
}

function problemLines({ problems, more }: JudgedFile): readonly string[] {
  const listed = problems.map((problem) => `  ${problem}`);
  return more === 0 ? listed : [...listed, `  and ${more} more`];
}
