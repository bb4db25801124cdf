import type { ScannerPackageFilters } from '../gateway-client/endpoints/scanner-packages.ts';

/** The filters of the scanner package listing that a watch may set (interface.md 4.4); the interface gives their meaning. */
export const listingFilters = [
  'search',
  'published',
  'direction',
  'source',
  'type',
  'packaged',
  'active',
  'groupId',
  'endpoint',
  'enabledForProject',
  'tags',
  'addedToProjectId',
  'accessibleToProjectId',
  'availableToProjectId',
  'packageId',
  'mode',
] as const satisfies readonly Exclude<keyof ScannerPackageFilters, 'ascending' | 'sortBy'>[];

/** Parameters of the same listing that belong to the walk: a watch that set them would break its own comparison. */
export const walkParameters = ['cursor', 'limit', 'sortBy', 'ascending'] as const;
