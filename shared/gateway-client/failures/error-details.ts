/** What a failed exchange says: the body of a refusal with who says it (the gateway, or something that stands before it), or the cause. */
import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';

/** Something before the gateway: a tunnel, a firewall, a proxy, a login page. The gateway itself is not named. */
export type Speaker = 'edge';

/** The most that is kept of what a gateway says about an error. */
const maxDetailBytes = 2048;

/** One complaint about one field. */
export interface FieldComplaint {
  /** Where, e.g. `body.scannerId`; empty if the gateway does not say. */
  readonly field: string;
  /** What is wrong, in the gateway's words. */
  readonly message: string;
}

/** What a gateway says about an error, as far as it can be read. */
export interface ErrorDetails {
  /** The body as text: at most 2 KB, control characters encoded, the token redacted. */
  readonly text: string;
  /** The complaints by field; empty if the body names none. */
  readonly fields: readonly FieldComplaint[];
  /** A dataset that the body names as the one there already (409). A bare `id` may be that of the error, so it does not count. */
  readonly datasetId?: string;
  /** Absent: the gateway. */
  readonly speaker?: Speaker | undefined;
  /** Of an edge: the shape of its answer and how it begins, in words. */
  readonly shape?: string | undefined;
}

const maxFields = 20;

/** Reads the body of an error tolerantly: any bytes give a result, none throws. */
export function parseErrorDetails(
  { status, body, brokenBy }: { readonly status: number; readonly body: Buffer; readonly brokenBy?: unknown },
  redact: Redact,
): ErrorDetails {
  const raw = body.toString('utf8').replace(/^\uFEFF/, '');
  const clean = (text: string): string => visibleTextWithin(redact(text), maxDetailBytes);
  const document = asRecord(parseJson(raw));
  const speaker = speakerOf({ status, body, document, isWhole: brokenBy === undefined });
  const datasetId = textOf(document?.['datasetId']) ?? textOf(asRecord(document?.['dataset'])?.['id']);
  return {
    text: clean(raw),
    fields: complaints(document, clean),
    datasetId: datasetId && clean(datasetId),
    speaker,
    shape: speaker && shapeOf(body, redact),
  };
}

function complaints(document: Record<string, unknown> | undefined, clean: Redact): FieldComplaint[] {
  const found = firstOf(document, wordsOfGateway);
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

/** The statuses that a gateway may answer without a body. */
const ofGateway: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 422, 425, 428, 429, 431, 451, 500, 501, 502,
  503, 504, 505,
]);

/** A refusal as far as it says who made it. */
interface Refusal {
  readonly status: number;
  readonly body: Buffer;
  /** The body as JSON, if it is an object. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** False: the connection ended before the body did. */
  readonly isWhole: boolean;
}

/** The fields in which an interface of this kind says what is wrong, in the order in which they are read. */
const wordsOfGateway = ['detail', 'errors', 'message', 'error'] as const;

/** Who made a refusal. A gateway says what is wrong as JSON, or nothing at all. */
function speakerOf({ status, body, document, isWhole }: Refusal): Speaker | undefined {
  if (body.length === 0) return isWhole && ofGateway.has(status) ? undefined : 'edge';
  if (document === undefined) return 'edge';
  return wordsOfGateway.some((name) => says(document[name])) || document['datasetId'] !== undefined
    ? undefined
    : 'edge';
}

function says(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Enough to know a page again. */
const mostShownBytes = 80;

/** The shape of an edge's answer, and how it begins: `with a web page, "Just a moment…"`. */
function shapeOf(body: Buffer, redact: Redact): string {
  const text = body.toString('utf8').trim();
  if (text === '') return 'without a body';
  const title = /<(?:title|h1)[^>]{0,200}>([^<]{1,500})/i.exec(text)?.[1]?.trim() ?? '';
  const isPage = text.startsWith('<');
  const shown = visibleTextWithin(redact(isPage ? title : text.slice(0, 500)).replaceAll(/\s+/g, ' '), mostShownBytes);
  const kind = isPage ? 'a web page' : /^[[{]/.test(text) ? 'JSON that is not of the gateway' : 'text';
  return shown === '' ? `with ${kind}` : `with ${kind}, "${shown}"`;
}

/**
 * The cause as code and message alone: undici's own errors carry sockets and what was received on
 * them.
 */
export function plainCause(caught: unknown, redact: Redact): Error | undefined {
  if (caught === undefined) return undefined;
  const error = innermost(caught);
  const message = error instanceof Error ? error.message : 'no error was given';
  const plain = new Error(visibleTextWithin(redact(message), 300));
  const code = message === undiciOn100 ? 'UNASKED_CONTINUE' : codeOf(error);
  return code === undefined ? plain : Object.assign(plain, { code });
}

// With two addresses of one host node throws an AggregateError without a message of its own.
function innermost(caught: unknown): unknown {
  return caught instanceof AggregateError && caught.message === '' ? (caught.errors[0] ?? caught) : caught;
}

/** undici 8 ends a connection at a 100 that no request asked for, with the code of any end. */
const undiciOn100 = 'bad response';

/** The code of an error, as Node and undici give it. */
export function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}
