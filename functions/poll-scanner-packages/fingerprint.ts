import { shortHash } from '#shared/changes/read-config.ts';
import type { PackageFingerprint } from '#shared/ledger/rows/watch-row.ts';

/**
 * A scanner package as the listing shows it: the interface's fields and all that this gateway adds.
 */
export interface ListedPackage {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** What looks know of packages, by their ids. */
export type Fingerprints = ReadonlyMap<string, PackageFingerprint>;

/** A name beyond this is cut: rows, events and reasons are bounded. */
const maxNameLength = 200;

/**
 * What the ledger keeps of a package: a short hash for each of its fields, known or not. No field
 * is left out. The interface does not say which fields change by themselves, and a rule can name
 * the field that it is about.
 */
export function fingerprintOf(listed: ListedPackage): PackageFingerprint {
  const { direction } = listed;
  return {
    name: nameOf(listed),
    direction: typeof direction === 'string' ? direction : undefined,
    source: sourceTypeOf(listed),
    fields: Object.fromEntries(Object.entries(listed).map(([field, value]) => [field, shortHash(value)])),
  };
}

/** The forms in which a gateway says that no update waits. */
const noUpdate: ReadonlySet<unknown> = new Set([null, '', false, 'false', [], {}].map(shortHash));

/** Whether a package said, as last seen, that an update waits for it. */
export function doesUpdateWait({ fields }: PackageFingerprint): boolean {
  const { availableUpdate } = fields;
  return availableUpdate !== undefined && !noUpdate.has(availableUpdate);
}

function nameOf(listed: ListedPackage): string {
  const name = listed['name'];
  return typeof name === 'string' && name !== '' ? name.slice(0, maxNameLength) : listed.id;
}

function sourceTypeOf(listed: ListedPackage): string | undefined {
  const source = listed['source'];
  if (typeof source === 'string') return source;
  if (typeof source !== 'object' || source === null || !('type' in source)) return undefined;
  return typeof source.type === 'string' ? source.type : undefined;
}
