import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { visibleText, visibleTextWithin } from '../text/visible-text.ts';
import { InvalidInputError } from './failures/errors.ts';
import { type CallOptions, isEmpty, gatewayOperation, requiredText } from './operation.ts';

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
const datasetAnswer = z.preprocess(withId, z.looseObject({ id: usableId }));

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

/** The fields of a dataset; a file that goes along has a limit of its own. */
const maxFieldBytes = 32 * 1024;

/**
 * Creates a dataset, on a connection of its own. Each POST makes another one and none can be read
 * back: see `classifyFailure` before any repeat.
 */
export const createDataset = gatewayOperation({
  name: 'createDataset',
  verb: 'post',
  path: datasetsPath,
  ask({ fileId, name, scannerId, scannerPackageId, scannerVersions, form }: CreateDatasetInput) {
    const body = { fileId, name, scannerId, scannerPackageId, scannerVersions };
    if (isEmpty(body)) {
      throw new InvalidInputError(Object.keys(body).join(', '), 'are all absent: there is nothing to create');
    }
    if (Buffer.byteLength(JSON.stringify(body)) > maxFieldBytes) {
      throw new InvalidInputError('the dataset', `is longer than ${maxFieldBytes} bytes of JSON`);
    }
    return { body, form };
  },
  answer: datasetAnswer,
});

/** A body with its type. */
export interface FileForm {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Fields by their names; a list is one part for each of its texts, an absent one is no part. */
type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A dataset and its file as one body of multipart/form-data (RFC 7578, encoded as HTML forms are). It is whole in memory: its length is
 * known, and nothing is read or made while it is sent. Its boundary is random, so neither fields nor file can hold it.
 */
export function fileForm(
  fields: FormFields,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
): FileForm {
  const boundary = `gateway-autopilot-${randomUUID()}`;
  const head = [...fieldHeads(fields), fileHead(name)].map((text) => `--${boundary}\r\n${text}`).join('\r\n');
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

function fieldHeads(fields: FormFields): readonly string[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    [value ?? []].flat().map((text) => `Content-Disposition: form-data; name="${field}"\r\n\r\n${text}`),
  );
}

function fileHead(name: string): string {
  // As HTML has it: readers take these three back, and no other character ends a file's name.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const type = name.toLowerCase().endsWith('.csv') ? 'text/csv' : 'application/octet-stream';
  return `Content-Disposition: form-data; name="file"; filename="${escaped}"\r\nContent-Type: ${type}\r\n\r\n`;
}
