import { readFile, stat } from 'node:fs/promises';
import { UsageError } from './errors.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** A planned upload with the bytes of its file. */
export interface UploadSource extends PlannedUpload {
  readonly body: Uint8Array;
}

/** Far beyond what a gateway takes as a dataset (10 MB in the field); larger is a slip, and would not fit in memory for long. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads every file before the first is sent: a slip in the last name must not leave half of them uploaded.
 * @throws UsageError naming the file: missing, a folder, empty, unreadable, too large
 */
export async function readUploadFiles(planned: readonly PlannedUpload[]): Promise<readonly UploadSource[]> {
  const sources: UploadSource[] = [];
  for (const upload of planned) sources.push({ ...upload, body: await readOne(upload.file) });
  return sources;
}

async function readOne(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new UsageError(`${file} is a folder: name the files in it`);
    if (found.size > maxBytes) throw new UsageError(`${file} is larger than 64 MiB: split it`);
    const body = await readFile(file);
    if (body.length === 0) throw new UsageError(`${file} is empty: there is nothing to register`);
    return body;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new UsageError(`there is no file ${file}`, error);
    if (code === 'EACCES') throw new UsageError(`${file} may not be read by you`, error);
    throw error;
  }
}
