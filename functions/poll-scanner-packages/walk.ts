import type { PackageFingerprint } from '../../shared/ledger/items.ts';
import { fingerprintOf, type ListedPackage } from './listed-package.ts';
import { groupOf } from './watch-chunks.ts';

/** A walk over the pages of a listing, as far as it has come, in this poll and in earlier ones. */
export interface Walk {
  readonly id: string;
  readonly filtersHash: string;
  /** What was seen and is not in the ledger: by group of chunks, then by package id. */
  readonly unsaved: Map<number, Map<string, PackageFingerprint>>;
  /** How many packages that is. */
  unsavedCount: number;
  pages: number;
  /** Where the next page begins; `undefined` before the first. */
  cursor: string | undefined;
  /** For each row that holds what is saved: its group of chunks. */
  readonly parts: number[];
}

/** A walk before its first page. */
export function newWalk(id: string, filtersHash: string): Walk {
  return { id, filtersHash, unsaved: new Map(), unsavedCount: 0, pages: 0, cursor: undefined, parts: [] };
}

/** Adds a page: of a package that moved between pages and is listed twice, what was seen last. The page itself is not kept. */
export function addPage(walk: Walk, packages: readonly ListedPackage[], next: string | undefined): void {
  for (const listed of packages) {
    const group = groupOf(listed.id);
    const inGroup = walk.unsaved.get(group) ?? new Map<string, PackageFingerprint>();
    walk.unsavedCount += inGroup.has(listed.id) ? 0 : 1;
    walk.unsaved.set(group, inGroup.set(listed.id, fingerprintOf(listed)));
  }
  walk.pages += 1;
  walk.cursor = next;
}
