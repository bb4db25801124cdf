/** Interface 4.4: the listing of scanner packages, filtered, sorted, by pages. */
import type { Context } from 'hono';
import type { GatewayEnvironment, GatewayParts } from '../http/environment.ts';
import { matcherOf, pageOf, readListingRequest, type SortKey } from './package-criteria.ts';
import { packageFields, type StoredScannerPackage } from '../model/resources.ts';

/** Answers one page, with the cursors of the next and the previous one (null at the ends). */
export function serveScannerPackages(context: Context<GatewayEnvironment>, parts: GatewayParts): Response {
  const { store, profile } = parts;
  const request = readListingRequest(context, profile);

  const matches = matcherOf(request.criteria, {
    ofProject: (id) => store.projects.get(id)?.config,
    ofNamedProject: (idOrName) => store.findProject(idOrName)?.config,
    ofEndpoint: (id) => store.endpoints.get(id)?.config,
  });
  const packages = sorted(store.scannerPackages.all().filter(matches), request.sortBy, request.ascending);
  const { items, next, prev } = pageOf(packages, request);
  return context.json({ next, prev, packages: items.map((item) => shownFields.parse(item)) });
}

/** The fields of interface 2.5 and no others. */
const shownFields = packageFields
  .omit({ createdAt: true, groupId: true, packaged: true, published: true, tags: true, types: true, updatedAt: true })
  .strip();

/**
 * The listing's order: total, so that a walk in either direction meets every package exactly once.
 */
const keyOf: Readonly<Record<SortKey, (one: StoredScannerPackage) => string>> = {
  name: (one) => one.name.toLowerCase(),
  created_at: (one) => one.createdAt,
  updated_at: (one) => one.updatedAt,
};

/** Sorted by the key, then by id (which is unique), both the same way round. */
function sorted(
  packages: readonly StoredScannerPackage[],
  sortBy: SortKey,
  ascending: boolean,
): StoredScannerPackage[] {
  const key = keyOf[sortBy];
  const sign = ascending ? 1 : -1;
  return packages.toSorted((a, b) => sign * (compare(key(a), key(b)) || compare(a.id, b.id)));
}

/** By code unit: the same on every machine, in any locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
