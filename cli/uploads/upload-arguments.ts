import { basename } from 'node:path';
import { UsageError } from '#operator/errors.ts';
import { counted } from '#operator/readable.ts';
import { commandLine } from '#shared/text/command-line.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import { headerSafe, type PlannedUpload, plannedUpload } from '#operator/uploads/upload-source.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { keyOfSidecar } from '#shared/uploads/object-key.ts';
import { objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import type { CommandArguments } from '../terminal/arguments.ts';

/** Options whose value travels as user metadata, `--file-id` as `x-amz-meta-file-id`. */
const metadataOptions = ['file-id', 'name', 'scanner-id', 'scanner-package-id', 'scanner-versions'] as const;

/**
 * Decides keys and metadata of an upload; nothing is read or sent.
 * @throws UsageError
 */
export function planUploads(args: CommandArguments): readonly PlannedUpload[] {
  const files = args.positionals;
  if (files.length === 0) throw new UsageError('upload needs a file: autopilot upload FILE…');
  const key = args.text('key');
  if (key !== undefined && files.length > 1) throw new UsageError('--key names one object: give one file with it');
  if (key !== undefined && args.text('prefix') !== undefined)
    throw new UsageError('--key is the whole key: leave out --prefix');
  if (files.length > 1 && args.text('file-id') !== undefined) {
    throw new UsageError('--file-id is the id of one file: upload the others by themselves, or let the rule name them');
  }
  const metadata = metadataOf(args);
  const planned = files.map((file) => oneUpload(file, key ?? `${prefixOf(file, args)}${nameOf(file, args)}`, metadata));
  checkConversion(args, planned);
  const twice = planned.find(({ key: one }, index) => planned.findIndex((other) => other.key === one) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `two of the files would become ${twice.key}: upload them one after the other, with --key or --prefix`,
    );
  }
  return planned;
}

function checkConversion(args: CommandArguments, planned: readonly PlannedUpload[]): void {
  const isConverted = args.flag('convert');
  if (!isConverted && args.text('encoding') !== undefined) throw new UsageError('--encoding goes with --convert');
  const plan = planned.find(({ kind }) => kind === 'plan');
  if (isConverted && plan !== undefined)
    throw new UsageError(`--convert is about datasets, and ${plan.key} is a run plan`);
}

/** A converted file is a CSV file. */
function nameOf(file: string, args: CommandArguments): string {
  const name = basename(file);
  const isDataset = args.flag('convert') && !args.flag('plan');
  return isDataset ? name.replace(/\.(?:tsv|txt|jsonl|ndjson|json)$/i, '.csv') : name;
}

function oneUpload(file: string, key: string, metadata: PlannedUpload['metadata']): PlannedUpload {
  const planned = plannedUpload(file, key, metadata);
  const [name] = Object.keys(metadata);
  if (planned.kind === 'dataset' || name === undefined) return planned;
  throw new UsageError(`--${name} is about datasets, and ${key} is a run plan: --prefix datasets makes it a dataset`);
}

/** Whether the person said the target of the files; if not, the kind of each file decides. */
export function saysWhere(args: CommandArguments): boolean {
  return args.flag('plan') || args.text('prefix') !== undefined || args.text('key') !== undefined;
}

/** `pii` means `datasets/pii/`; `--plan` means `run-plans/`, and so does a .json file of which nothing is said. */
function prefixOf(file: string, args: CommandArguments): string {
  const given = args.text('prefix');
  const isPlanByName = !args.flag('convert') && file.endsWith('.json') && keyOfSidecar(file) === undefined;
  const isPlan = args.flag('plan') || (!saysWhere(args) && isPlanByName);
  const root = isPlan ? objectPrefixes.runPlans : objectPrefixes.datasets;
  if (given === undefined) return root;
  const prefix = wholePrefix(given, root);
  if (args.flag('plan') && !prefix.startsWith(objectPrefixes.runPlans)) {
    throw new UsageError(`--plan and --prefix ${given} contradict each other`);
  }
  return prefix;
}

/** A prefix as a person writes it, whole: `pii` below `datasets/` is `datasets/pii/`. */
export function wholePrefix(given: string, root: string = objectPrefixes.datasets): string {
  const prefix = `${given.replace(/^\/+|\/+$/g, '')}/`;
  const isWhole = Object.values(objectPrefixes).some((known) => prefix.startsWith(known));
  return isWhole ? prefix : `${root}${prefix === '/' ? '' : prefix}`;
}

function metadataOf(args: CommandArguments): Readonly<Record<string, string>> {
  const given = metadataOptions.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [[name, headerSafe(withoutControls(name, value.trim()))] as const];
  });
  return Object.fromEntries(given);
}

function withoutControls(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a header
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new UsageError(`--${name} holds control characters`);
  return value;
}

/** Options of an upload that its conversion keeps. */
const keptOptions = ['prefix', 'key', 'encoding', ...metadataOptions] as const;

/**
 * The command that uploads a converted file, with the options of this one. A name that no key can have gets a key.
 * @param more - options that this command line lacks
 */
export function convertCommand(
  file: string,
  args: Pick<CommandArguments, 'text'>,
  more: readonly string[] = [],
): string {
  const kept = keptOptions.flatMap((name) => {
    const value = more.includes(`--${name}`) ? undefined : args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const name = basename(file).replaceAll(/\p{Cc}+/gu, '-');
  const isNamed = name === basename(file) || [...kept, ...more].includes('--key');
  const key = isNamed ? [] : ['--key', `${objectPrefixes.datasets}${name}`];
  // A dash would begin an option.
  const word = file.startsWith('-') ? `./${file}` : file;
  return commandLine(['autopilot', 'upload', word, '--convert', ...kept, ...key, ...more]);
}

/**
 * What a check found in a file: in a line if it goes through, else a line for each problem.
 * @param args - the command line, whose options the next step keeps
 */
export function judgedLines(judged: JudgedFile, args: Pick<CommandArguments, 'text'>, paint: Paint): readonly string[] {
  const { file } = judged;
  const balance = `${counted(judged.rows, 'row')}, ${judged.blocking} true and ${judged.rows - judged.blocking} false`;
  switch (judged.verdict) {
    case 'ready':
      return [`${file}: ${paint('green', 'ready')}: ${balance}`];
    case 'convertible':
      return [
        `${file}: ${paint('yellow', 'goes through with --convert')}: ${balance}`,
        `  changes: ${judged.changes.join('; ')}`,
        `  next: ${convertCommand(file, args)}`,
      ];
    case 'problems':
      return [
        `${file}: ${paint('red', counted(judged.problems.length + judged.more, 'problem'))}`,
        ...problemLines(judged),
      ];
  }
}

function problemLines({ problems, more }: JudgedFile): readonly string[] {
  const listed = problems.map((problem) => `  ${problem}`);
  return more === 0 ? listed : [...listed, `  and ${more} more`];
}
