import * as z from 'zod';
import { type CallOptions, listingBytes, gatewayOperation, type QueryValue, requiredText, text } from './operation.ts';

const scannerPackageType = z.looseObject({
  id: requiredText,
  name: text,
  direction: text,
  source: z.union([z.looseObject({ type: text }), z.string()]).nullish(),
});
/** The walk goes on by it: of another type it is refused. */
const nextPage = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((next) => cursorText(next));

/** A scanner package (the interface, 2.5). Rules match on name, direction and source. */
export type ScannerPackage = z.output<typeof scannerPackageType>;

/**
 * The filters of the listing that a watch may set (the interface, 4.4); the interface gives their
 * meaning.
 */
export const listingFilters = [
  'search',
  'published',
  'direction',
  'source',
  'type',
  'packaged',
  'active',
  'groupId',
  'endpoint',
  'enabledForProject',
  'tags',
  'addedToProjectId',
  'accessibleToProjectId',
  'availableToProjectId',
  'packageId',
  'mode',
] as const;

/** Filters, and how the listing is sorted. */
export type ScannerPackageFilters = Readonly<
  Partial<Record<(typeof listingFilters)[number] | 'ascending' | 'sortBy', QueryValue>>
>;

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
 * Makes the walk over all pages. It ends only if the gateway says so, by a `next` that is absent, null or empty. An empty page with a cursor
 * goes on, so the caller bounds the walk. If the cursor is an address, its own cursor is taken out of it.
 */
export function walkScannerPackages(readPage: (input: PageInput) => Promise<ScannerPackagesPage>) {
  return async function* listScannerPackages({
    limit = 100,
    requestId,
    ...filters
  }: ListScannerPackagesInput = {}): AsyncGenerator<ScannerPackagesPage, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await readPage({ query: { ...filters, limit, cursor }, requestId });
      cursor = page.next;
      yield page;
    } while (cursor !== undefined);
  };
}

/** The cursor that an answer names; undefined if there is no next page. */
export function cursorText(cursor: string | number | null | undefined): string | undefined {
  return cursor === null || cursor === undefined || cursor === '' ? undefined : cursorOf(String(cursor));
}

/** How an address of a next page begins: whole, without a host, or its query alone. */
const addressStart = /^(?:https?:\/\/|\/|\?)/i;

/**
 * The cursor in an address of the next page, which some gateways send; any other text is a cursor
 * itself. The next page is requested from the configured gateway: no other host gets a token.
 */
function cursorOf(next: string): string {
  if (!addressStart.test(next)) return next;
  const [cursor, ...others] = URL.parse(next, 'http://gateway')?.searchParams.getAll('cursor') ?? [];
  return cursor === undefined || cursor === '' || others.length > 0 ? next : cursor;
}

/** One page of the scanner packages. */
export const listPage = gatewayOperation({
  name: 'listScannerPackages',
  verb: 'get',
  path: '/backend/v1/scanner-packages',
  ask: ({ query }: PageInput) => ({ query }),
  answer: z.looseObject({ packages: z.array(scannerPackageType), next: nextPage }),
  maxBytes: listingBytes,
});
