import type { LedgerRowBase } from './ledger-row.ts';

/** The head of a watched listing. */
export interface WatchRow extends LedgerRowBase {
  readonly kind: 'watch';
  readonly name: string;
  /**
   * Changes with the filters, and with how packages are laid out in rows: another one makes the
   * next walk a baseline.
   */
  readonly filtersHash: string;
  readonly baselineAt?: string;
  readonly lease?: { readonly owner: string; readonly until: string };
  readonly walkedAt?: string;
  readonly packages?: number;
  readonly changeSet?: ChangeSet;
  /** A walk that was cut off: the next poll goes on with it. */
  readonly walk?: CutWalk;
  /**
   * The pages of the last look, while they vouch for what is known: taken out before anything is
   * compared, put in after all is written.
   */
  readonly pages?: VouchingPages;
}

/** Which row of pages it is, and how long it vouches. */
export interface VouchingPages {
  /** Of the row `watch-pages`: any other version of it vouches for nothing. */
  readonly version: number;
  /** When every page was compared last, and not taken for known. */
  readonly since: string;
  /**
   * The look that they are of. A version that knows nothing of pages leaves them as they are when
   * it looks, and says when it looked.
   */
  readonly walkedAt?: string | undefined;
}

/** How far a walk came before it was cut off. */
export interface CutWalk {
  /** What it saw is in the `watch-walk` rows of this id. */
  readonly id: string;
  /** Of the filters that it walks with: its cursor is of no use with others. */
  readonly filtersHash: string;
  /** The cursor of the next page. */
  readonly cursor: string;
  readonly pages: number;
  /** Since when it waits for that page. @default it was saved before this was written down */
  readonly savedAt?: string;
  /** For each row of what it saw, numbered from 0: the group of chunks whose packages it holds. */
  readonly parts: readonly number[];
  /**
   * The version of the last look's pages that this walk holds its own against. @default it takes no
   * page for known
   */
  readonly against?: number;
  /**
   * The version of the row with its own pages, and how many packages these listed. @default they
   * vouch for nothing
   */
  readonly own?: { readonly version: number; readonly listed: number };
}

/**
 * Packages of one group of chunks as a walk saw them in some of its pages. Rows are used again by
 * later walks of the watch.
 */
export interface WatchWalkRow extends LedgerRowBase {
  readonly kind: 'watch-walk';
  /** Whose part it is: a row of another walk is an old one. */
  readonly walk: string;
  readonly packages: Readonly<Record<string, SeenPackage>>;
}

/**
 * What a walk saw of a package; `known`: its page is as in the last look, so it is as the ledger
 * knows it.
 */
export type SeenPackage = PackageFingerprint | 'known';

/**
 * Each page of a watch's last look, or of a walk that was cut off. It is a digest of the gateway's
 * answer, in the order of the pages.
 */
export interface WatchPagesRow extends LedgerRowBase {
  readonly kind: 'watch-pages';
  /** How fingerprints were made of these pages; those of another form vouch for nothing. */
  readonly form: number;
  readonly digests: readonly string[];
}

/** Fingerprints of the packages whose id falls into this chunk. */
export interface WatchChunkRow extends LedgerRowBase {
  readonly kind: 'watch-chunk';
  readonly packages: Readonly<Record<string, PackageFingerprint>>;
  /**
   * Differences that these fingerprints hold and that change set reports; of no meaning once it is
   * closed. One write with the fingerprints.
   */
  readonly found?: FoundInChunk;
}

/** What was found in one chunk for a change set. */
export interface FoundInChunk {
  readonly changeSet: string;
  readonly changes: readonly PackageChange[];
  /** Changes beyond those listed, once the list is full. */
  readonly more: number;
  readonly starts: readonly string[];
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
 * Changes found and not yet acted on. Opened (empty) before fingerprints are written, filled when
 * closing, dropped after its starts are sent.
 */
export interface ChangeSet {
  readonly id: string;
  readonly since: string;
  /** When a look found something for it last; written before the fingerprints of that look. */
  readonly changedAt: string;
  readonly changes: readonly PackageChange[];
  /** Changes beyond those listed, once the list is full. */
  readonly more: number;
  /** Runs that the rules name. */
  readonly starts: readonly string[];
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

/**
 * A watched project: what its last complete look saw, and what is still to be published. One row,
 * so that all of it changes in one write.
 */
export interface ProjectWatchRow extends LedgerRowBase {
  readonly kind: 'project-watch';
  readonly name: string;
  readonly lease?: { readonly owner: string; readonly until: string };
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
  /**
   * By list (`packages`, `scanners`, `providers`), entry and field; a list that the gateway did not
   * show is absent.
   */
  readonly lists: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** Everything beside the lists, such as `providerRouting`. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Differences of a project's configuration, written with the look that found them and dropped once
 * everything is sent for them.
 */
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
  /**
   * `scanners.ID` if an entry came or went, `scanners.ID.version` or `providerRouting` if something
   * changed.
   */
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
