import type { PackageFingerprint } from '../../shared/ledger/items.ts';

/** A walk over the pages of a listing, as far as it has come, in this poll and in earlier ones. */
export interface Walk {
  readonly id: string;
  readonly filtersHash: string;
  /** By package id. A package that moved between pages during the walk is listed twice and counted once, as last seen. */
  readonly seen: Map<string, PackageFingerprint>;
  /** What was seen and is not in the ledger. */
  readonly unsaved: Map<string, PackageFingerprint>;
  pages: number;
  /** Where the next page begins; `undefined` before the first. */
  cursor: string | undefined;
  /** Rows that hold what is saved. */
  parts: number;
}

/** A walk before its first page. */
export function newWalk(id: string, filtersHash: string): Walk {
  return { id, filtersHash, seen: new Map(), unsaved: new Map(), pages: 0, cursor: undefined, parts: 0 };
}
