import type { GatewayClient, ScannerPackageFilters } from '../../shared/gateway-client/index.ts';
import type { Listing } from './deps.ts';

/** The most that the interface gives at once; one limit for the whole walk, since a cursor may hold it. */
const pageSize = 100;

/**
 * Listings of a gateway, oldest package first: a package that is created during a walk comes at its end, and moves none of the others to a
 * page that we have seen.
 */
export function listingOf(gateway: Pick<GatewayClient, 'listScannerPackages'>): Listing {
  return (filters) =>
    gateway.listScannerPackages({
      // Synth has checked the names and types of the filters.
      ...(filters as ScannerPackageFilters),
      limit: pageSize,
      sortBy: 'created_at',
      ascending: true,
    });
}
