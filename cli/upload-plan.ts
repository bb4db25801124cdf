import { basename } from 'node:path';
import { keyOfSidecar } from '#shared/uploads/dataset-sidecar.ts';
import { objectPrefixes } from '#shared/vocabulary/object-prefixes.ts';
import type { CommandArguments } from './arguments.ts';
import { UsageError } from './errors.ts';

/** One file and where it goes. */
export interface PlannedUpload {
  readonly file: string;
  readonly key: string;
  readonly kind: 'dataset' | 'plan';
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Options whose value travels as user metadata, `--file-id` as `x-amz-meta-file-id`. */
const metadataOptions = ['file-id', 'name', 'scanner-id', 'scanner-package-id', 'scanner-versions'] as const;

/** S3 takes 1,024 bytes. */
const maxKeyBytes = 1024;

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
  const planned = files.map((file) =>
    plannedUpload(file, checkedKey(key ?? `${prefixOf(file, args)}${basename(file)}`), metadata),
  );
  const twice = planned.find(({ key: one }, index) => planned.findIndex((other) => other.key === one) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `two of the files would become ${twice.key}: upload them one after the other, with --key or --prefix`,
    );
  }
  return planned;
}

function plannedUpload(file: string, key: string, metadata: Readonly<Record<string, string>>): PlannedUpload {
  const isPlan = key.startsWith(objectPrefixes.runPlans);
  if (isPlan && !key.endsWith('.json')) throw new UsageError(`${key}: a run plan is a .json file`);
  if (isPlan && Object.keys(metadata).length > 0) {
    throw new UsageError(
      `--${Object.keys(metadata)[0]} is about datasets, and ${key} is a run plan: --prefix datasets makes it a dataset`,
    );
  }
  const contentType = key.endsWith('.csv')
    ? 'text/csv'
    : key.endsWith('.json')
      ? 'application/json'
      : 'application/octet-stream';
  return { file, key, kind: isPlan ? 'plan' : 'dataset', contentType, metadata };
}

/** Whether the person said where the files go; where not, the kind of each file decides. */
export function saysWhere(args: CommandArguments): boolean {
  return args.flag('plan') || args.text('prefix') !== undefined || args.text('key') !== undefined;
}

/** `pii` means `datasets/pii/`; `--plan` means `run-plans/`, and so does a .json file of which nothing is said. */
function prefixOf(file: string, args: CommandArguments): string {
  const given = args.text('prefix');
  const isPlanByName = file.endsWith('.json') && keyOfSidecar(file) === undefined;
  const isPlan = args.flag('plan') || (!saysWhere(args) && isPlanByName);
  const root = isPlan ? objectPrefixes.runPlans : objectPrefixes.datasets;
  if (given === undefined) return root;
  const prefix = `${given.replace(/^\/+|\/+$/g, '')}/`;
  const isWhole = Object.values(objectPrefixes).some((known) => prefix.startsWith(known));
  if (!isWhole) return `${root}${prefix === '/' ? '' : prefix}`;
  if (args.flag('plan') && !prefix.startsWith(objectPrefixes.runPlans)) {
    throw new UsageError(`--plan and --prefix ${given} contradict each other`);
  }
  return prefix;
}

function checkedKey(key: string): string {
  if (!Object.values(objectPrefixes).some((prefix) => key.startsWith(prefix) && key.length > prefix.length)) {
    const prefixes = Object.values(objectPrefixes).join(' or ');
    throw new UsageError(`nobody listens at "${key}": a key begins with ${prefixes}`);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a key
  if (/[\u0000-\u001f\u007f]/.test(key))
    throw new UsageError('the key holds control characters: rename the file or give --key');
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw new UsageError(`"${key}" holds . or .. as a folder: tools that copy the bucket would leave theirs`);
  if (Buffer.byteLength(key) > maxKeyBytes) throw new UsageError(`the key is longer than ${maxKeyBytes} bytes`);
  return key;
}

function metadataOf(args: CommandArguments): Readonly<Record<string, string>> {
  const given = metadataOptions.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [[name, headerSafe(name, value.trim())] as const];
  });
  return Object.fromEntries(given);
}

/** S3 carries metadata in headers, which are ASCII: anything else goes as an RFC 2047 word, which the worker reads (S3 answers such words itself). */
function headerSafe(name: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a header
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new UsageError(`--${name} holds control characters`);
  // A percent sign or a word that looks encoded would be decoded on the other side.
  if (/^[\u0020-\u007e]+$/.test(value) && !/%|=\?/.test(value)) return value;
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
}
