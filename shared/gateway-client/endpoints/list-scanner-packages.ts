import { hash } from 'node:crypto';
import { CursorLoopError, PageLimitError } from '../failures/answer-errors.ts';
import { InvalidInputError } from '../failures/errors.ts';
import type { CallOptions } from '../options.ts';
import { pickFilters, scannerPackagesSchema } from './scanner-packages.ts';
import type { ScannerPackage, ScannerPackageFilters, ScannerPackagesBody } from './scanner-packages.ts';
import type { QueryValue, Schema } from './schema.ts';

/** Which packages, and how the walk goes. */
export interface ListScannerPackagesInput extends ScannerPackageFilters, Omit<CallOptions, 'idempotencyKey'> {
  /**
   * Packages per page, 1 to 100, the same for the whole walk: a cursor may hold it. @default 100
   */
  readonly limit?: number | undefined;
  /** A cursor of an earlier walk with the same filters and limit: the walk goes on there. */
  readonly startCursor?: string | undefined;
  /** The most pages before PageLimitError. @default 1000 */
  readonly maxPages?: number | undefined;
}

/** One page of the listing. */
export interface ScannerPackagesPage {
  readonly packages: readonly ScannerPackage[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** Of the answer as it came, byte for byte: two pages with one digest hold the same packages. */
  readonly digest: string;
}

const defaultMaxPages = 1000;

/** Chance of two pages with one digest: 2⁻⁹⁶. A watch keeps one for each page. */
const digestLength = 16;

/** A page as it is asked for. */
export interface PageInput extends Pick<CallOptions, 'requestId'> {
  readonly query: Readonly<Record<string, QueryValue>>;
}

/** A page as it is answered, and its digest. */
export type AnsweredPage = ScannerPackagesBody & Pick<ScannerPackagesPage, 'digest'>;

/** How a page is read. */
export const pageSchema: Schema<AnsweredPage> = {
  parse(input, bytes) {
    const parsed = scannerPackagesSchema.parse(input, bytes);
    if (!('value' in parsed)) return parsed;
    const { packages, next } = parsed.value;
    return { value: { packages, next, digest: hash('sha256', bytes, 'base64url').slice(0, digestLength) } };
  },
};

/**
 * Walks over all pages. It ends only if the gateway says so, by a `next` that is absent, null or
 * empty; an empty page with a cursor goes on. If the cursor is an address, its own cursor is taken
 * out of it. A page is yielded before what is wrong with its cursor is thrown.
 * @example
 * for await (const page of client.listScannerPackages({ source: 'vendor' })) await compare(page.packages, page.next);
 */
export async function* listScannerPackages(
  readPage: (input: PageInput) => Promise<AnsweredPage>,
  input: ListScannerPackagesInput = {},
): AsyncGenerator<ScannerPackagesPage, void, undefined> {
  const limit = wholeNumber('limit', input.limit ?? 100, 100);
  const maxPages = wholeNumber('maxPages', input.maxPages ?? defaultMaxPages, Number.MAX_SAFE_INTEGER);
  const filters = pickFilters(input);
  const seen = new Set<string>();
  let cursor = cursorText(input.startCursor);
  for (let pages = 1; ; pages += 1) {
    if (cursor !== undefined) seen.add(cursor);
    const page = await readPage({ query: { ...filters, limit, cursor }, requestId: input.requestId });
    cursor = cursorText(page.next);
    yield { packages: page.packages, next: cursor, digest: page.digest };
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new CursorLoopError(pages);
    if (pages >= maxPages) throw new PageLimitError(maxPages);
  }
}

function cursorText(cursor: string | number | null | undefined): string | undefined {
  return cursor === null || cursor === undefined || cursor === '' ? undefined : cursorOf(String(cursor));
}

/** How an address of a next page begins: whole, without a host, or its query alone. */
const addressStart = /^(?:https?:\/\/|\/|\?)/i;

/**
 * The cursor in an address of the next page, which some gateways send; any other text is a cursor
 * itself. Only this value is taken. The next page is requested from the configured gateway, with
 * the filters and the limit of this walk. So no other host gets a request or a token.
 */
function cursorOf(text: string): string {
  if (!addressStart.test(text)) return text;
  const [cursor, ...others] = URL.parse(text, 'http://gateway')?.searchParams.getAll('cursor') ?? [];
  return cursor === undefined || cursor === '' || others.length > 0 ? text : cursor;
}

function wholeNumber(field: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new InvalidInputError(field, `must be a whole number from 1 to ${most}`);
  }
  return value;
}
