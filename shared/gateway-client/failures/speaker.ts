/** Whose words a refusal holds: the gateway's, or those of something that stands before it. */
import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';

/** Something before the gateway: a tunnel, a firewall, a proxy, a login page. The gateway itself is not named. */
export type Speaker = 'edge';

/** The statuses that a gateway may answer without a body. */
const ofGateway: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 422, 425, 428, 429, 431, 451, 500, 501, 502,
  503, 504, 505,
]);

/** A refusal as far as it says who made it. */
export interface Refusal {
  readonly status: number;
  readonly body: Buffer;
  /** The body as JSON, if it is an object. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** False: the connection ended before the body did. */
  readonly isWhole: boolean;
}

/** The fields in which an interface of this kind says what is wrong, in the order in which they are read. */
export const wordsOfGateway = ['detail', 'errors', 'message', 'error'] as const;

/** Who made a refusal. A gateway says what is wrong as JSON, or nothing at all. */
export function speakerOf({ status, body, document, isWhole }: Refusal): Speaker | undefined {
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
export function shapeOf(body: Buffer, redact: Redact): string {
  const text = body.toString('utf8').trim();
  if (text === '') return 'without a body';
  const title = /<(?:title|h1)[^>]{0,200}>([^<]{1,500})/i.exec(text)?.[1]?.trim() ?? '';
  const isPage = text.startsWith('<');
  const shown = visibleTextWithin(redact(isPage ? title : text.slice(0, 500)).replaceAll(/\s+/g, ' '), mostShownBytes);
  const kind = isPage ? 'a web page' : /^[[{]/.test(text) ? 'JSON that is not of the gateway' : 'text';
  return shown === '' ? `with ${kind}` : `with ${kind}, "${shown}"`;
}
