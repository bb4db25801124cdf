/** Interface 4.4: the listing of scanner packages, filtered, sorted, by pages. */
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { QueryReader } from '../http/query.ts';
import { readListingRequest } from '../listing/criteria.ts';
import { pageOf } from '../listing/cursor.ts';
import { matcherOf } from '../listing/matches.ts';
import { sorted } from '../listing/order.ts';
import type { GatewayParts } from '../parts.ts';
import type { ScannerPackage, StoredScannerPackage } from '../resources.ts';

/** Answers one page, with the cursors of the next and the previous one (null at the ends). */
export function listScannerPackages(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const query = new QueryReader(context.req.url);
  const request = readListingRequest(query);
  query.finish();

  const matches = matcherOf(request.criteria, {
    ofProject: (id) => store.projects.get(id)?.config,
    ofEndpoint: (id) => store.endpoints.get(id)?.config,
  });
  const packages = sorted(store.scannerPackages.all().filter(matches), request.sortBy, request.ascending);
  const { items, next, prev } = pageOf(packages, request);
  return context.json({ next, prev, packages: items.map((item) => shown(item)) });
}

/** The fields of interface 2.5 and no others. */
function shown(one: StoredScannerPackage): ScannerPackage {
  const { availability, availableUpdate, direction, id, name, projectId } = one;
  const { scannerCounts, scannerIds, shared, source, vendored } = one;
  return {
    availability,
    availableUpdate,
    direction,
    id,
    name,
    projectId,
    scannerCounts,
    scannerIds,
    shared,
    source,
    vendored,
  };
}
