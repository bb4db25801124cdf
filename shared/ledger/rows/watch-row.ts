import type { LedgerRowBase } from './row-base.ts';

/**
 * The head of a watched listing: each look writes it, in one transaction with the rows of packages
 * that differ.
 */
export interface WatchRow extends LedgerRowBase {
  readonly kind: 'watch';
  readonly name: string;
  /** Of the filters and the layout of the rows: another one makes the next look a baseline. */
  readonly filtersHash: string;
  readonly baselineAt?: string;
  readonly walkedAt?: string;
  readonly packages?: number;
  readonly changeSet?: PackageChangeSet;
}

/** Packages as last seen, those whose id falls into this row. */
export interface WatchPackagesRow extends LedgerRowBase {
  readonly kind: 'watch-packages';
  /** The names of the packages' fields, sorted: most packages share them, so they stand here once. */
  readonly fields: readonly string[];
  readonly packages: Readonly<Record<string, PackedPackage>>;
}

interface PackedPackage extends Omit<PackageFingerprint, 'fields'> {
  /** A hash for each of the row's fields in their order, `-` for one that it does not have. */
  readonly hashes: string;
}

/** A package as last seen: a short hash for each field. */
export interface PackageFingerprint {
  readonly name: string;
  /** What rules match on and a removed package can no longer tell. */
  readonly direction?: string;
  readonly source?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Complete walks in a row that did not show it. */
  readonly missing?: number;
}

/**
 * Changes found and not yet all sent: dropped once its starts and events, with ids made of its own,
 * are.
 */
export interface ChangeSet<Change> {
  readonly id: string;
  readonly changes: readonly Change[];
  /** Changes beyond those listed, once the list is full. */
  readonly more: number;
  /** Runs that the rules start. */
  readonly starts: readonly string[];
}

/** Changes of scanner packages: later looks add to them until they settle. */
export interface PackageChangeSet extends ChangeSet<PackageChange> {
  readonly since: string;
  /** When a look found something for it last. */
  readonly changedAt: string;
  /** Nothing is added any more: its starts are being sent. */
  readonly isClosing: boolean;
}

/** One package that differs from the last look. */
export interface PackageChange {
  readonly kind: 'added' | 'changed' | 'removed';
  readonly packageId: string;
  readonly name: string;
  /** Changed fields; empty for added and removed. */
  readonly fields: readonly string[];
}

/** A watched project: what its last complete look saw, and what is still to be published. */
export interface ProjectWatchRow extends LedgerRowBase {
  readonly kind: 'project-watch';
  readonly name: string;
  /** The last look; absent before the first. */
  readonly look?: ProjectLook;
  /** Differences that the last look found and that are not published yet. */
  readonly changeSet?: ProjectChangeSet;
  /** Present if the watch reads the deprecated endpoints. */
  readonly endpoints?: EndpointsLook;
}

/** A look at a project's configuration. */
export interface ProjectLook {
  /** The project as configured: another one makes the next look a baseline. */
  readonly project: string;
  /** Just before it was read: what `configAt` is asked for. */
  readonly at: string;
  readonly config: ConfigFingerprints;
}

/** A configuration as short hashes: what stands in a configuration stays at the gateway. */
export interface ConfigFingerprints {
  /** By list (`packages`, …), entry and field; a list that the gateway did not show is absent. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** Everything beside the lists, such as `providerRouting`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Differences of a project's configuration. */
export interface ProjectChangeSet extends ChangeSet<ProjectChange> {
  readonly project: { readonly id: string; readonly name: string };
  /** The look before, and the one that found them: they were made between the two. */
  readonly from: string;
  readonly to: string;
  /** Runs that were in flight while it changed. */
  readonly notComparable: readonly RunInWindow[];
}

/** One difference. */
export interface ProjectChange {
  readonly kind: 'added' | 'changed' | 'removed';
  /** `scanners.ID` if an entry came or went, else `scanners.ID.version` or `providerRouting`. */
  readonly field: string;
  /** The value before, if it is known and the interface names the field. */
  readonly before?: string;
  readonly after?: string;
}

/** A run that was in flight while its project changed. */
export interface RunInWindow {
  readonly campaignRunId: string;
  readonly run: string;
  readonly startedAt: string;
}

/** The endpoints of a watch: days are calendar days in UTC. */
export interface EndpointsLook {
  readonly readOn: string;
  /** The day of the last report and a hash of the ids in it; absent if none are in use. */
  readonly reported?: { readonly on: string; readonly ids: string };
  /** A report that is not sent yet. */
  readonly report?: {
    readonly eventId: string;
    readonly at: string;
    readonly count: number;
    readonly endpoints: readonly { readonly id: string; readonly name: string }[];
  };
}
