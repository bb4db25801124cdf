import { countOf } from '#shared/changes/words.ts';
import type { ResolvedPackageWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { PackageChange, PackageChangeSet } from '#shared/ledger/rows/watch-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Outgoing } from '../_watch/finish-change-set.ts';

/**
 * How much of a list of changes is kept: what is beyond is counted. A change names its fields, and
 * a gateway may have many.
 */
interface ListLimits {
  readonly changes: number;
  /** As JSON. */
  readonly bytes: number;
}

/** The head row stays far below DynamoDB's 400 KB, and leaves its transaction room for packages. */
const ofSet: ListLimits = { changes: 500, bytes: 250_000 };

/** An event is at most 256 KB; this stays below, and the count says how many changes there are. */
const ofEvent: ListLimits = { changes: 100, bytes: 200_000 };

/** How many changes there are of each kind. */
type ChangeCounts = Readonly<Record<PackageChange['kind'], number>>;

/** What a look found for a change set, and when. */
interface LookFound {
  readonly changes: readonly PackageChange[];
  readonly starts: readonly string[];
  readonly at: string;
}

/**
 * A set with what a look found for it; a new one under this id if none is open. The same package
 * and kind is one change, its fields are joined.
 */
export function withFound(before: PackageChangeSet | undefined, found: LookFound, newId: string): PackageChangeSet {
  const set = before ?? { id: newId, since: found.at, changes: [], more: 0, starts: [] };
  const changes = new Map(set.changes.map((change) => [keyOf(change), change]));
  for (const change of found.changes) {
    const { kind, packageId, name, fields } = change;
    const same = changes.get(keyOf(change));
    changes.set(keyOf(change), { kind, packageId, name, fields: union(same?.fields ?? [], fields) });
  }
  const listed = firstOf([...changes.values()], ofSet);
  const more = set.more + changes.size - listed.length;
  const starts = union(set.starts, found.starts);
  return { ...set, changedAt: found.at, changes: listed, more, starts, isClosing: false };
}

/** How many of these changes are of each kind. */
export function countKinds(changes: readonly Pick<PackageChange, 'kind'>[]): ChangeCounts {
  const count = (kind: PackageChange['kind']) => changes.filter((change) => change.kind === kind).length;
  return { changed: count('changed'), added: count('added'), removed: count('removed') };
}

/** How many changes of each kind: `2 changed, 1 added`. */
export function describeCounts({ changed, added, removed }: ChangeCounts, more = 0): string {
  const parts = { changed, added, removed, more };
  return Object.entries(parts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

/** The same of a set. */
export function describeSetCounts({ changes, more }: PackageChangeSet): string {
  return describeCounts(countKinds(changes), more);
}

/** What a set asks for beside its starts. */
export function outgoingOfPackages(watch: string, set: PackageChangeSet): Outgoing {
  const { id: eventId, since, starts } = set;
  const type = eventTypes.scannerPackagesChanged;
  const changes = firstOf(set.changes, ofEvent);
  return {
    worker: 'poll-scanner-packages',
    watch,
    words: (maxLength) => describePackageChanges(set, maxLength),
    events: [
      {
        type,
        detail: { eventId, watch, since, count: countOf(set), changes, starts },
        log: ['info', logEvents.eventPublished, type, { eventId, watch }],
      },
    ],
    counts: [[metricNames.packagesChanged, countOf(set)]],
  };
}

/** In one line: `2 changed, 1 added: Prompt Injection Guard (availableUpdate), Toxicity, …`. */
function describePackageChanges(set: PackageChangeSet, maxLength: number): string {
  const names = set.changes.map(({ name, fields }) => (fields.length > 0 ? `${name} (${fields.join(', ')})` : name));
  const text = `${describeSetCounts(set)}: ${names.join(', ')}`;
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** As many of the first changes as there is room for. */
function firstOf(changes: readonly PackageChange[], limits: ListLimits): readonly PackageChange[] {
  let bytes = 0;
  const end = changes.findIndex((change, index) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
    return index >= limits.changes || bytes > limits.bytes;
  });
  return end === -1 ? changes : changes.slice(0, end);
}

function keyOf({ kind, packageId }: PackageChange): string {
  return `${kind} ${packageId}`;
}

function union(before: readonly string[], added: readonly string[]): readonly string[] {
  return [...new Set([...before, ...added])];
}

/**
 * A listing that never rests would hold its starts for ever: a set stays open for so many times its
 * settling time at most.
 */
const mostSettles = 6;

type OpenSet = Pick<PackageChangeSet, 'since' | 'changedAt'>;
type Watch = Pick<ResolvedPackageWatch, 'settle' | 'every'>;

/** The first instant at which a look closes the set, if none finds more for it before. */
export function waitsUntil(set: OpenSet, watch: Watch): Date {
  const settleMs = settleMsOf(watch);
  return new Date(Math.min(Date.parse(set.changedAt) + settleMs, lastMomentMs(set, settleMs)));
}

/**
 * Returns true if a set is closed at the end of a look. Nothing has changed for long enough, or the
 * next look would come too late. So a watch whose looks are far apart never waits for the next one.
 */
export function isSettled(set: OpenSet, watch: Watch, now: Date): boolean {
  const nextLookMs = now.getTime() + (durationMs(watch.every) ?? 0);
  return now >= waitsUntil(set, watch) || nextLookMs > lastMomentMs(set, settleMsOf(watch));
}

/**
 * Returns true if a set has waited for as long as any may. It is closed then without a further
 * look.
 */
export function isOverdue(set: OpenSet, watch: Watch, now: Date): boolean {
  return watch.settle !== undefined && now.getTime() >= lastMomentMs(set, settleMsOf(watch));
}

function settleMsOf({ settle }: Watch): number {
  return settle === undefined ? 0 : (durationMs(settle) ?? 0);
}

function lastMomentMs({ since }: OpenSet, settleMs: number): number {
  return Date.parse(since) + mostSettles * settleMs;
}
