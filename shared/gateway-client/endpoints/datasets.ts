import * as z from 'zod';
import { requiredText } from './schema.ts';
import type { CallOptions } from '../options.ts';
import { visibleText, visibleTextWithin } from '../../text/visible-text.ts';
import type { FileForm } from './file-form.ts';

/**
 * A dataset's id goes into rows, events and terminals; those that were seen have at most 36
 * characters.
 */
const longestId = 256;
const longestShown = 80;

const usableId = requiredText.refine((id) => id.length <= longestId && id.trim() !== '' && visibleText(id) === id, {
  error: ({ input }) => unusable(String(input)),
});

function unusable(id: string): string {
  return `is no usable id: ${id.length} characters, ${visibleTextWithin(id, longestShown)}`;
}

/** How the answer to a new dataset is read. */
export const datasetAnswer = z.preprocess(withId, z.looseObject({ id: usableId }));

/** Gateways answer with the id as a whole number too, or wrap what they answer in `data`. */
function withId(input: unknown): unknown {
  const own = idIn(input);
  const id = own ?? idIn(dataOf(input));
  return id === undefined ? input : { ...Object(input), id };
}

function idIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('id' in input)) return undefined;
  if (typeof input.id === 'string') return input.id;
  // A larger number has lost digits in JSON.parse.
  return Number.isSafeInteger(input.id) ? String(input.id) : undefined;
}

function dataOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'data' in input ? input.data : undefined;
}

/** What the dataset is made of. Which fields a gateway requires the interface does not say. */
export interface CreateDatasetInput extends CallOptions {
  readonly fileId?: string | undefined;
  readonly name?: string | undefined;
  readonly scannerId?: string | undefined;
  readonly scannerPackageId?: string | undefined;
  /** String in the interface, several versions in the field: sent as given. */
  readonly scannerVersions?: string | readonly string[] | undefined;
  /** The same fields with the file itself, made by `fileForm`. It goes out in the place of JSON. */
  readonly form?: FileForm | undefined;
}

/** Where datasets are made. */
export const datasetsPath = '/backend/v1/datasets';
