import type { SeenPackage } from '#shared/ledger/rows/watch-row.ts';
import type { ListedPage } from '../deps.ts';
import type { KnownPages } from './known-pages.ts';
import { fingerprintOf } from './listed-package.ts';
import { groupOf } from '../watch-chunks.ts';

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
  /** Of every page so far; `undefined` where one of them has none. */
  digests: string[] | undefined;
  /** Packages on all pages so far, one that is listed twice counted twice. */
  listed: number;
  pages: number;
  /** Where the next page begins; `undefined` before the first. */
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
