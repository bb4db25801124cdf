/** The listing's order: total, so that a walk in either direction meets every package exactly once. */
import type { StoredScannerPackage } from '../resources.ts';
import type { SortKey } from './criteria.ts';

const keyOf: Readonly<Record<SortKey, (one: StoredScannerPackage) => string>> = {
  name: (one) => one.name.toLowerCase(),
  created_at: (one) => one.createdAt,
  updated_at: (one) => one.updatedAt,
};

/** Sorted by the key, then by id (which is unique), both the same way round. */
export function sorted(
  packages: readonly StoredScannerPackage[],
  sortBy: SortKey,
  ascending: boolean,
): StoredScannerPackage[] {
  const key = keyOf[sortBy];
  const sign = ascending ? 1 : -1;
  return packages.toSorted((a, b) => sign * (compare(key(a), key(b)) || compare(a.id, b.id)));
}

/** By code unit: the same on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
