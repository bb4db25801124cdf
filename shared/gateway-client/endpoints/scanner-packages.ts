import * as z from 'zod';
import { count, flag, requiredText, scalar, text } from './field-types.ts';
import { InvalidInputError } from '../failures/errors.ts';
import { schemaOf } from './schema.ts';
import { isSurelyPage } from './sure-page.ts';

const scannerPackageType = z.looseObject({
  id: requiredText,
  name: text,
  direction: text,
  projectId: text,
  availableUpdate: scalar,
  availability: z.looseObject({ global: flag, projectIds: z.array(z.unknown()).nullish() }).nullish(),
  scannerCounts: z.record(z.string(), count).nullish(),
  scannerIds: z.array(z.string()).nullish(),
  shared: flag,
  source: z.union([z.looseObject({ type: text }), z.string()]).nullish(),
  vendored: flag,
});
const cursor = z.union([z.string(), z.number()]).nullish();

/** What an answer has to be; `isSurelyPage` is held against it. */
export const scannerPackagesType = z.looseObject({ packages: z.array(scannerPackageType), next: cursor, prev: cursor });

/** A scanner package (interface.md 2.5). */
export type ScannerPackage = z.output<typeof scannerPackageType>;

/** One page as it is answered. */
export type ScannerPackagesBody = z.output<typeof scannerPackagesType>;

/** How one page of the listing is read. */
export const scannerPackagesSchema = schemaOf<ScannerPackagesBody>(scannerPackagesType, isSurelyPage);

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

const filterNames = [
  'search',
  'ascending',
  'sortBy',
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
] as const satisfies readonly (keyof ScannerPackageFilters)[];

const sortKeys: readonly string[] = ['name', 'updated_at', 'created_at'];

/** The filters alone, in a fixed order, whatever else the object holds. */
export function pickFilters(filters: ScannerPackageFilters): ScannerPackageFilters {
  if (filters.sortBy !== undefined && !sortKeys.includes(filters.sortBy)) {
    throw new InvalidInputError('sortBy', `must be one of ${sortKeys.join(', ')}`);
  }
  return Object.fromEntries(filterNames.map((name) => [name, filters[name]]));
}
