import type { LedgerRowBase } from './ledger-row.ts';

/** A watched project: what its last complete look saw, and what is still to be told of it. One row, so that all of it changes in one write. */
export interface ProjectWatchRow extends LedgerRowBase {
  readonly kind: 'project-watch';
  readonly name: string;
  readonly lease?: { readonly owner: string; readonly until: string };
  /** The last look; absent before the first. */
  readonly look?: ProjectLook;
  /** Differences that the last look found and that are not told yet. */
  readonly changeSet?: ProjectChangeSet;
  /** Where the watch reads the deprecated endpoints. */
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

/** A configuration as short hashes: what may stand in a configuration is nobody's but the gateway's. */
export interface ConfigFingerprints {
  /** By list (`packages`, `scanners`, `providers`), entry and field; a list that the gateway did not show is absent. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** Everything beside the lists, such as `providerRouting`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Differences of a project's configuration, written with the look that found them and dropped once everything is sent for them. */
export interface ProjectChangeSet {
  readonly id: string;
  readonly project: { readonly id: string; readonly name: string };
  /** The look before, and the one that found them: they were made between the two. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly ProjectChange[];
  /** Changes beyond those listed. */
  readonly more: number;
  /** Runs that the rules start. */
  readonly starts: readonly string[];
  /** Runs that were in flight while it changed. */
  readonly notComparable: readonly RunInWindow[];
}

/** One difference. */
export interface ProjectChange {
  readonly kind: 'added' | 'changed' | 'removed';
  /** `scanners.ID` where an entry came or went, `scanners.ID.version` or `providerRouting` where something changed. */
  readonly field: string;
  /** What it was, where that is known and the interface names the field. */
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
  /** The day of the last report and a hash of the ids in it; absent where none are in use. */
  readonly reported?: { readonly on: string; readonly ids: string };
  /** A report that is not sent yet. */
  readonly report?: {
    readonly eventId: string;
    readonly at: string;
    readonly count: number;
    readonly endpoints: readonly { readonly id: string; readonly name: string }[];
  };
}
