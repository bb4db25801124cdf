import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';

/** The most that is kept of what a gateway says about an error. */
const maxDetailBytes = 2048;

/** One complaint about one field. */
export interface FieldComplaint {
  /** Where, e.g. `body.scannerId`; empty where the gateway does not say. */
  readonly field: string;
  /** What is wrong, in the gateway's words. */
  readonly message: string;
}

/** What a gateway says about an error, as far as it can be read. */
export interface ErrorDetails {
  /** The body as text: at most 2 KB, control characters encoded, the token redacted. */
  readonly text: string;
  /** The complaints by field; empty where the body names none. */
  readonly fields: readonly FieldComplaint[];
  /** A dataset that the body names as the one there already (409). A bare `id` may be that of the error, so it does not count. */
  readonly datasetId?: string;
}

const maxFields = 20;

/** Reads the body of an error tolerantly: any bytes give a result, none throws. */
export function parseErrorDetails(body: Buffer, redact: Redact): ErrorDetails {
  const raw = body.toString('utf8');
  const clean = (text: string): string => visibleTextWithin(redact(text), maxDetailBytes);
  const document = asRecord(parseJson(raw));
  const datasetId = textOf(document?.['datasetId']) ?? textOf(asRecord(document?.['dataset'])?.['id']);
  return {
    text: clean(raw),
    fields: complaints(document, clean),
    ...(datasetId === undefined ? {} : { datasetId: clean(datasetId) }),
  };
}

function complaints(document: Record<string, unknown> | undefined, clean: Redact): FieldComplaint[] {
  const found = firstOf(document, ['detail', 'errors', 'message', 'error']);
  const list: unknown[] = Array.isArray(found) ? found : [found];
  const fields: FieldComplaint[] = [];
  for (const item of list.slice(0, maxFields)) {
    const record = asRecord(item);
    const message = textOf(item) ?? textOf(record?.['msg']) ?? textOf(record?.['message']);
    if (message === undefined) continue;
    fields.push({ field: clean(location(record)), message: clean(message) });
  }
  return fields;
}

function location(complaint: Record<string, unknown> | undefined): string {
  const loc = firstOf(complaint, ['loc', 'field', 'path']);
  if (!Array.isArray(loc)) return textOf(loc) ?? '';
  return loc.filter((part) => typeof part === 'string' || typeof part === 'number').join('.');
}

/** The first of these fields that says anything. */
function firstOf(record: Record<string, unknown> | undefined, names: readonly string[]): unknown {
  return names.map((name) => record?.[name]).find((value) => value !== undefined && value !== null);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The shape of an error body is not promised: what is no JSON is kept as text.
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
