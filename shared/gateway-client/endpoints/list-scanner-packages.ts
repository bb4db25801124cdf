import type { CallOptions } from '../options.ts';
import type { ScannerPackage, ScannerPackageFilters, ScannerPackagesBody } from './scanner-packages.ts';
import type { QueryValue } from './schema.ts';

/** Which packages, and how the walk goes. */
export interface ListScannerPackagesInput extends ScannerPackageFilters, Omit<CallOptions, 'idempotencyKey'> {
  /**
   * Packages per page, 1 to 100, the same for the whole walk: a cursor may hold it. @default 100
   */
  readonly limit?: number | undefined;
}

/** One page of the listing. */
export interface ScannerPackagesPage {
  readonly packages: readonly ScannerPackage[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** A page as it is asked for. */
export interface PageInput extends Pick<CallOptions, 'requestId'> {
  readonly query: Readonly<Record<string, QueryValue>>;
}

/**
 * Walks over all pages. It ends only if the gateway says so, by a `next` that is absent, null or
 * empty. An empty page with a cursor goes on, so the caller bounds the walk. If the cursor is an
 * address, its own cursor is taken out of it.
 * @example
 * for await (const page of client.listScannerPackages({ source: 'vendor' })) await compare(page.packages, page.next);
 */
export async function* listScannerPackages(
  readPage: (input: PageInput) => Promise<ScannerPackagesBody>,
  { limit = 100, requestId, ...filters }: ListScannerPackagesInput = {},
): AsyncGenerator<ScannerPackagesPage, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await readPage({ query: { ...filters, limit, cursor }, requestId });
    cursor = cursorText(page.next);
    yield { packages: page.packages, next: cursor };
  } while (cursor !== undefined);
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
