import type { GatewayClient, ScannerPackageFilters } from '#shared/gateway-client/index.ts';
import type { Listing } from '../deps.ts';

/** The most that the interface gives at once; one limit for the whole walk, since a cursor may hold it. */
const pageSize = 100;

/** The most pages of one walk, in however many polls: a listing that goes on after them has no end, or more packages than rows take. */
const mostPages = 1500;

/**
 * Listings of a gateway, oldest package first: a package that is created during a walk comes at its end, and moves none of the others to a
 * page that we have seen.
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
