import * as z from 'zod';
import { requiredText, text } from './schema.ts';

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

/** The filters of the listing, each as the interface names it (4.4). */
export interface ScannerPackageFilters {
  readonly search?: string | undefined;
  readonly ascending?: boolean | undefined;
  readonly sortBy?: 'name' | 'updated_at' | 'created_at' | undefined;
  readonly published?: string | boolean | undefined;
  readonly direction?: string | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  readonly packaged?: string | boolean | undefined;
  readonly active?: string | boolean | undefined;
  readonly groupId?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly enabledForProject?: string | undefined;
  readonly tags?: string | readonly string[] | undefined;
  readonly addedToProjectId?: string | undefined;
  readonly accessibleToProjectId?: string | undefined;
  readonly availableToProjectId?: string | undefined;
  readonly packageId?: string | readonly string[] | undefined;
  readonly mode?: string | readonly string[] | undefined;
}
