import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { UsageError } from '../errors.ts';

/** One file and its target. */
export interface PlannedUpload {
  readonly file: string;
  readonly key: string;
  readonly contentType: string;
  /** As S3 takes it: ASCII. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Names and values together. */
const maxMetadataBytes = 2048;

/** S3 takes 1,024 bytes. */
const maxKeyBytes = 1024;

/**
 * Decides what a file becomes under a key; nothing is read or sent.
 * @param metadata - in any letters: here alone they become headers
 */
export function plannedUpload(file: string, key: string, metadata: Readonly<Record<string, string>>): PlannedUpload {
  checkKey(key);
  const headers = Object.entries(metadata).map(([name, text]) => [name, headerSafe(text)] as const);
  if (headers.flat().join('').length > maxMetadataBytes)
    throw new UsageError(`S3 takes 2 kB of metadata: shorten ${Object.keys(metadata).join(', ')}`);
  return { file, key, contentType: contentTypeOf(key), metadata: Object.fromEntries(headers) };
}

function contentTypeOf(key: string): string {
  if (key.endsWith('.csv')) return 'text/csv';
  return key.endsWith('.json') ? 'application/json' : 'application/octet-stream';
}

function checkKey(key: string): void {
  if (key === datasetsPrefix) throw new UsageError(`"${key}" is a folder: a key is ${key}NAME`);
  if (!key.startsWith(datasetsPrefix))
    throw new UsageError(`nothing listens at "${key}": a key begins with ${datasetsPrefix}`);
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a key
  if (/[\u0000-\u001f\u007f]/.test(key))
    throw new UsageError('the key holds control characters: rename the file or give --key');
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw new UsageError(`"${key}" holds . or .. as a folder: tools that copy the bucket would leave theirs`);
  if (Buffer.byteLength(key) > maxKeyBytes) throw new UsageError(`the key is longer than ${maxKeyBytes} bytes`);
}

/** S3 carries metadata in headers, which are ASCII: anything else goes as an RFC 2047 word, which the worker reads (S3 answers such words itself). */
function headerSafe(value: string): string {
  // A percent sign or a word that looks encoded would be decoded on the other side.
  if (/^[\u0020-\u007e]+$/.test(value) && !/%|=\?/.test(value)) return value;
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
}

/** A planned upload with the bytes of its file. */
export interface UploadSource extends PlannedUpload {
  readonly body: Uint8Array;
}

/**
 * Far beyond what a gateway takes as a dataset (10 MB in the field). A larger file is a slip, and
 * would not fit in memory for long.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads every file before the first is sent: a slip in the last name must not leave half of them
 * uploaded.
 */
export async function readUploadFiles(planned: readonly PlannedUpload[]): Promise<readonly UploadSource[]> {
  const sources: UploadSource[] = [];
  for (const upload of planned) sources.push({ ...upload, body: await readOne(upload.file) });
  return sources;
}

async function readOne(file: string): Promise<Uint8Array> {
  const body = await readFileOnce(file);
  if (body.length === 0) throw new UsageError(`${file} is empty: there is nothing to register`);
  return body;
}

/** Reads a file of this machine once, so that a pipe has it too; `-` is standard input. */
export async function readFileOnce(file: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    if (file !== '-' && (await stat(file)).isDirectory())
      throw new UsageError(`${file} is a folder: name the files in it`);
    const stream = file === '-' ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(file);
    for await (const piece of stream) {
      size += piece.length;
      if (size > maxBytes) throw new UsageError(`${file} is larger than 64 MiB: split it`);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new UsageError(`there is no file ${file}`, { cause: error });
    if (code === 'EACCES') throw new UsageError(`${file} may not be read by you`, { cause: error });
    throw error;
  }
  return Buffer.concat(pieces, size);
}
