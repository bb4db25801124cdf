import type { PackageFingerprint } from '../../shared/ledger/items.ts';
import { fingerprintOf, type ListedPackage } from './listed-package.ts';

/** A walk that saw the last page; a walk that did not is an error and nothing is concluded from it. */
export interface CompleteWalk {
  readonly pages: number;
  /** By package id. A package that moved between pages during the walk is listed twice and counted once, as last seen. */
  readonly seen: ReadonlyMap<string, PackageFingerprint>;
}

/**
 * Walks every page of a listing.
 * @param beforeNextPage - awaited after each page; throws where the walk must not go on
 */
export async function walkPackages(
  listing: AsyncIterable<{ readonly packages: readonly ListedPackage[] }>,
  beforeNextPage: () => Promise<void>,
): Promise<CompleteWalk> {
  const seen = new Map<string, PackageFingerprint>();
  let pages = 0;
  for await (const { packages } of listing) {
    pages += 1;
    for (const listed of packages) seen.set(listed.id, fingerprintOf(listed));
    await beforeNextPage();
  }
  return { pages, seen };
}
