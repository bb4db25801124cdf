import * as z from 'zod';
import { type QueryValue, requiredText, text } from './schema.ts';

const scannerPackageType = z.looseObject({
  id: requiredText,
  name: text,
  direction: text,
  source: z.union([z.looseObject({ type: text }), z.string()]).nullish(),
});
/**
 * The walk goes on by it: of another type it is refused, since a walk that ends early would miss
 * packages.
 */
const cursor = z.union([z.string(), z.number()]).nullish();

/** How one page of the listing is read. */
export const scannerPackagesAnswer = z.looseObject({ packages: z.array(scannerPackageType), next: cursor });

/**
 * A scanner package (interface.md 2.5). Rules match on name, direction and source; every field is
 * compared by its fingerprint.
 */
export type ScannerPackage = z.output<typeof scannerPackageType>;

/** One page as it is answered. */
export type ScannerPackagesBody = z.output<typeof scannerPackagesAnswer>;

/** The filters of the listing that a watch may set (interface.md 4.4); the interface gives their meaning. */
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
] as const;

/** Filters, and how the listing is sorted. */
export type ScannerPackageFilters = Readonly<
  Partial<Record<(typeof listingFilters)[number] | 'ascending' | 'sortBy', QueryValue>>
>;
