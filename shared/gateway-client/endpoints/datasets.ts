import * as z from 'zod';
import type { Call } from '../call.ts';
import { InvalidInputError } from '../failures/errors.ts';
import { requiredText, type Schema, schemaOf } from './schema.ts';
import type { CallOptions } from '../options.ts';
import { visibleText, visibleTextWithin } from '../../text/visible-text.ts';
import type { FileForm } from './file-form.ts';

const responseType = z.looseObject({ id: requiredText });
const typed = schemaOf(responseType);

/**
 * A dataset's id goes into rows, events, commands and terminals; the ids that were seen have at
 * most 36 characters.
 */
const longestId = 256;
const longestShown = 80;

const schema: Schema<CreateDatasetResponse> = {
  parse(input, bytes) {
    const parsed = typed.parse(input, bytes);
    if (!('value' in parsed) || isUsableId(parsed.value.id)) return parsed;
    const { id } = parsed.value;
    return { problems: [`id is no usable id: ${id.length} characters, ${visibleTextWithin(id, longestShown)}`] };
  },
};

function isUsableId(id: string): boolean {
  return id.length <= longestId && id.trim() !== '' && visibleText(id) === id;
}

/** The answer to `createDataset`. */
export type CreateDatasetResponse = z.output<typeof responseType>;

/** What the dataset is made of. Which fields a gateway requires the interface does not say. */
export interface CreateDatasetInput extends CallOptions {
  readonly fileId?: string | undefined;
  readonly name?: string | undefined;
  readonly scannerId?: string | undefined;
  readonly scannerPackageId?: string | undefined;
  /** String in the interface, several versions in the field: sent as given. */
  readonly scannerVersions?: string | readonly string[] | undefined;
  /** The same fields with the file itself, made by `openFileForm`. It goes out in the place of JSON. */
  readonly form?: FileForm | undefined;
}

/** Where datasets are made. */
export const datasetsPath = '/backend/v1/datasets';

/** The fields of a request; a file that goes along has a limit of its own. */
const maxFieldBytes = 32 * 1024;

/**
 * Creates a dataset, on a connection of its own. Each POST makes another one and none can be read
 * back: see `classifyFailure` before any repeat.
 */
export async function createDataset(call: Call, input: CreateDatasetInput): Promise<CreateDatasetResponse> {
  const { fileId, name, scannerId, scannerPackageId, scannerVersions, form } = input;
  const body = { fileId, name, scannerId, scannerPackageId, scannerVersions };
  if (Object.values(body).every((value) => value === undefined)) {
    throw new InvalidInputError(Object.keys(body).join(', '), 'are all absent: there is nothing to create');
  }
  if (Buffer.byteLength(JSON.stringify(body)) > maxFieldBytes) {
    throw new InvalidInputError('the dataset', `is longer than ${maxFieldBytes} bytes of JSON`);
  }
  return call({
    operation: 'createDataset',
    verb: 'post',
    pathTemplate: datasetsPath,
    path: datasetsPath,
    body,
    form,
    schema,
    namesResource: false,
    options: input,
  });
}
