import { shortHash } from '#shared/changes/read-config.ts';
import type { GatewayClient, ScannerPackageFilters } from '#shared/gateway-client/index.ts';
import type { PackageFingerprint, SeenPackage } from '#shared/ledger/rows/watch-row.ts';
import { groupOf, type ListedPage, type Listing } from '../poll-state.ts';
import type { KnownPages } from './walk-rows.ts';

/** A walk over the pages of a listing, as far as it has come, in this poll and in earlier ones. */
export interface Walk {
  readonly id: string;
  readonly filtersHash: string;
  /** What its pages are held against; `undefined`: every page is compared. */
  readonly known: KnownPages | undefined;
  /** What was seen and is not in the ledger: by group of chunks, then by package id. */
  readonly unsaved: Map<number, Map<string, SeenPackage>>;
  /** How many packages that is. */
  unsavedCount: number;
  /** While every page is as it was: what it lists, of each page the ids as one JSON text. A later page that differs asks for them, nothing else does. */
  readonly asBefore: string[];
  /** Whether every page is as it was. */
  isAsBefore: boolean;
  /** Of every page so far; `undefined` if one of them has none. */
  digests: string[] | undefined;
  /** Packages on all pages so far, one that is listed twice counted twice. */
  listed: number;
  pages: number;
  /** The cursor of the next page; `undefined` before the first. */
  cursor: string | undefined;
  /** For each row that holds what is saved: its group of chunks. */
  readonly parts: number[];
}

/** A walk before its first page. */
export function newWalk(id: string, filtersHash: string, known: KnownPages | undefined): Walk {
  return {
    id,
    filtersHash,
    known,
    unsaved: new Map(),
    unsavedCount: 0,
    asBefore: [],
    isAsBefore: known !== undefined,
    digests: [],
    listed: 0,
    pages: 0,
    cursor: undefined,
    parts: [],
  };
}

/** Adds a page: of a package that moved between pages and is listed twice, what was seen last. The page itself is not kept. */
export function addPage(walk: Walk, { packages, next, digest }: ListedPage): void {
  const isKnown = digest !== undefined && walk.known?.digests[walk.pages] === digest;
  if (isKnown && walk.isAsBefore) {
    walk.asBefore.push(JSON.stringify(packages.map(({ id }) => id)));
  } else {
    groupAsBefore(walk);
    walk.isAsBefore = false;
    for (const listed of packages) addPackage(walk, listed.id, isKnown ? 'known' : fingerprintOf(listed));
  }
  if (digest === undefined) walk.digests = undefined;
  else walk.digests?.push(digest);
  walk.listed += packages.length;
  walk.pages += 1;
  walk.cursor = next;
}

/** Whether a complete walk saw page by page what the last look saw: then there is nothing to compare. */
export function sawTheSame({ isAsBefore, known, pages }: Pick<Walk, 'isAsBefore' | 'known' | 'pages'>): boolean {
  return isAsBefore && known?.digests.length === pages;
}

/** Puts what the pages that are as before list to the rest of what was seen. */
export function groupAsBefore(walk: Omit<Walk, 'cursor'>): void {
  for (const text of walk.asBefore) {
    const ids: readonly string[] = JSON.parse(text);
    for (const id of ids) addPackage(walk, id, 'known');
  }
  walk.asBefore.length = 0;
}

function addPackage(walk: Omit<Walk, 'cursor'>, id: string, seen: SeenPackage): void {
  const group = groupOf(id);
  const inGroup = walk.unsaved.get(group) ?? new Map<string, SeenPackage>();
  walk.unsavedCount += inGroup.has(id) ? 0 : 1;
  walk.unsaved.set(group, inGroup.set(id, seen));
}

/**
 * A scanner package as the listing shows it: the interface's fields and all that this gateway adds.
 */
export interface ListedPackage {
  readonly id: string;
  readonly [field: string]: unknown;
}

/**
 * Which fingerprint a package has. Version of the fingerprint. Raise it if `fingerprintOf` or the
 * client's schema changes. All known pages are then compared once more, as they are after a day at
 * the latest.
 */
export const fingerprintForm = 2;

/** A name beyond this is cut: rows, events and reasons are bounded. */
const maxNameLength = 200;

/**
 * What the ledger keeps of a package: a short hash for each of its fields, known or not. No field
 * is left out. The interface does not say which fields change by themselves, and a rule can name
 * the field that it is about.
 */
export function fingerprintOf(listed: ListedPackage): PackageFingerprint {
  const { direction } = listed;
  const source = sourceTypeOf(listed);
  return {
    name: nameOf(listed),
    direction: typeof direction === 'string' ? direction : undefined,
    source,
    fields: Object.fromEntries(Object.entries(listed).map(([field, value]) => [field, shortHash(value)])),
  };
}

/** The forms in which a gateway says that no update waits. */
const noUpdate: ReadonlySet<unknown> = new Set([null, '', false, 'false', [], {}].map(shortHash));

/** Whether a package said, as last seen, that an update waits for it. */
export function doesUpdateWait({ fields }: PackageFingerprint): boolean {
  const { availableUpdate } = fields;
  return availableUpdate !== undefined && !noUpdate.has(availableUpdate);
}

function nameOf(listed: ListedPackage): string {
  const name = listed['name'];
  return typeof name === 'string' && name !== '' ? name.slice(0, maxNameLength) : listed.id;
}

function sourceTypeOf(listed: ListedPackage): string | undefined {
  const source = listed['source'];
  if (typeof source === 'string') return source;
  if (typeof source !== 'object' || source === null || !('type' in source)) return undefined;
  return typeof source.type === 'string' ? source.type : undefined;
}

/** The most that the interface gives at once; one limit for the whole walk, since a cursor may hold it. */
const pageSize = 100;

/**
 * The most pages of one walk, over all its polls. A listing that goes on has no end, or more
 * packages than the rows take.
 */
const mostPages = 1500;

/**
 * Listings of a gateway, oldest package first. A package that is created during a walk comes last,
 * and moves no other to a page already seen.
 */
export function listingOf(gateway: Pick<GatewayClient, 'listScannerPackages'>): Listing {
  return (filters, { cursor, pages }) =>
    gateway.listScannerPackages({
      // Synth has checked the names and types of the filters.
      ...(filters as ScannerPackageFilters),
      limit: pageSize,
      startCursor: cursor,
      maxPages: Math.max(1, mostPages - pages),
      sortBy: 'created_at',
      ascending: true,
    });
}
