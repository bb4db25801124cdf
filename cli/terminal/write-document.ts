import { writeFile } from 'node:fs/promises';
import { toError } from '#shared/errors/app-error.ts';
import { UsageError } from '#operator/errors.ts';

/**
 * Writes a document to the file of `--out`, with one line end at its end.
 * @throws UsageError if it cannot be written
 */
export async function writeDocument(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text.trimEnd()}\n`);
  } catch (error) {
    throw new UsageError(`--out: ${file} cannot be written (${toError(error).message})`, error);
  }
}
