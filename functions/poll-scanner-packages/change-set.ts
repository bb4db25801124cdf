import { toError } from '#shared/errors/app-error.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { ChangeSet, FoundInChunk, PackageChange } from '#shared/ledger/rows/watch-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { chunkGroups, type PollDeps, readGroup, type WatchHead } from './poll-state.ts';

/**
 * How much of a list of changes is kept: what is beyond is counted. A change names its fields, and
 * a gateway may have many.
 */
export interface ListLimits {
  readonly changes: number;
  /** As JSON. */
  readonly bytes: number;
}

/** The head row stays far below DynamoDB's 400 KB. */
const ofSet: ListLimits = { changes: 500, bytes: 250_000 };

/** The same for the row of a chunk, where fingerprints want the room. */
const ofChunk: ListLimits = { changes: 200, bytes: 60_000 };

/** How many changes there are of each kind. */
export type ChangeCounts = Readonly<Record<PackageChange['kind'], number>>;

/**
 * A change set before anything is found for it: its id and its instant stay, so what is sent for it
 * can be sent again.
 */
export function openChangeSet(identity: Pick<ChangeSet, 'id' | 'since'>): ChangeSet {
  return { ...identity, changedAt: identity.since, changes: [], more: 0, starts: [], isClosing: false };
}

/**
 * What one chunk has for a change set, with more of it: the same package and kind is one change,
 * its fields are joined.
 */
export function addFound(before: FoundInChunk | undefined, found: FoundInChunk): FoundInChunk {
  const own = before?.changeSet === found.changeSet ? before : { changes: [], more: 0, starts: [] };
  const changes = new Map(own.changes.map((change) => [keyOf(change), change]));
  for (const change of found.changes) {
    const same = changes.get(keyOf(change));
    changes.set(keyOf(change), { ...change, fields: union(same?.fields ?? [], change.fields) });
  }
  const listed = firstOf([...changes.values()], ofChunk);
  const more = own.more + found.more + changes.size - listed.length;
  return { changeSet: found.changeSet, changes: listed, more, starts: union(own.starts, found.starts) };
}

/** A set with what one chunk has found for it. */
export function withFound(set: ChangeSet, found: FoundInChunk | undefined): ChangeSet {
  if (found?.changeSet !== set.id) return set;
  const all = [...set.changes, ...found.changes];
  const changes = firstOf(all, ofSet);
  return {
    ...set,
    changes,
    more: set.more + found.more + all.length - changes.length,
    starts: union(set.starts, found.starts),
  };
}

/** How many changes a set stands for. */
export function packageChanges(set: ChangeSet): number {
  return set.changes.length + set.more;
}

/** How many of these changes are of each kind. */
export function countKinds(changes: readonly Pick<PackageChange, 'kind'>[]): ChangeCounts {
  const count = (kind: PackageChange['kind']) => changes.filter((change) => change.kind === kind).length;
  return { changed: count('changed'), added: count('added'), removed: count('removed') };
}

/** How many changes that is. */
export function countOfKinds({ changed, added, removed }: ChangeCounts): number {
  return changed + added + removed;
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
export function describeSetCounts({ changes, more }: ChangeSet): string {
  return describeCounts(countKinds(changes), more);
}

/**
 * A set in one line: `2 changed, 1 added: Prompt Injection Guard (availableUpdate), Toxicity, …`.
 */
export function describePackageChanges(set: ChangeSet, maxLength: number): string {
  const names = set.changes.map(({ name, fields }) => (fields.length > 0 ? `${name} (${fields.join(', ')})` : name));
  const text = `${describeSetCounts(set)}: ${names.join(', ')}`;
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** As many of the first changes as there is room for. */
export function firstOf(changes: readonly PackageChange[], limits: ListLimits): readonly PackageChange[] {
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

/** An event is at most 256 KB; this stays below, and the count says how many changes there are. */
const ofEvent: ListLimits = { changes: 100, bytes: 200_000 };

const maxReasonLength = 1000;
const maxDetailLength = 200;

/**
 * Closes the open change set, if there is one: nothing is added to it any more, and what it asks
 * for is sent.
 * @returns the set, if there was one with something in it
 */
export async function closeChangeSet(head: WatchHead, deps: PollDeps): Promise<ChangeSet | undefined> {
  const { name, changeSet } = head.current();
  if (changeSet === undefined) return undefined;
  if (!changeSet.isClosing) {
    let found = changeSet;
    for (const group of chunkGroups) {
      await head.renewLease();
      for await (const { row } of readGroup(deps.ledger, name, group)) found = withFound(found, row?.found);
    }
    await head.write({ ...head.current(), changeSet: { ...found, isClosing: true } });
  }
  return finishChangeSet(head, deps);
}

/**
 * Sends what a closing change set asks for, then drops it from the head row. Everything sent
 * carries ids made of the set's own. So if a poll dies here, the next one repeats it and nothing
 * happens twice.
 */
async function finishChangeSet(head: WatchHead, deps: PollDeps): Promise<ChangeSet | undefined> {
  const { changeSet: set, openState: _state, openSince: _since, ...rest } = head.current();
  if (set === undefined) return undefined;
  if (packageChanges(set) === 0) {
    // Opened by a poll that died before it wrote a fingerprint, and what it saw is gone again.
    await head.write(rest);
    return undefined;
  }
  const { log, count } = deps.reports;

  for (const run of set.starts) {
    const command = startCommand(rest.name, set, run, deps.now());
    await deps.commands.send(JSON.stringify(command));
    log.info(logEvents.commandSent, `start of ${run} sent`, { commandId: command.id, run, watch: rest.name });
  }
  await deps.bus.publish(eventTypes.scannerPackagesChanged, {
    eventId: set.id,
    watch: rest.name,
    since: set.since,
    count: packageChanges(set),
    changes: firstOf(set.changes, ofEvent),
    starts: set.starts,
  });
  log.info(logEvents.eventPublished, eventTypes.scannerPackagesChanged, { eventId: set.id, watch: rest.name });

  await head.write(rest);
  count(metricNames.packagesChanged, packageChanges(set));
  log.info(logEvents.changeSet, 'change set closed', { watch: rest.name, changeSet: set.id, starts: set.starts });
  await noteForStatus(rest.name, set, deps);
  return set;
}

/**
 * Stamped at sending, not when the set was opened. The next poll may finish a dead poll's set hours
 * later, and its start must not be late by then. Sent a second time it is the same command by its
 * id, and a command that has its outcome is never run again.
 */
function startCommand(watch: string, set: ChangeSet, run: string, now: Date): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.change(watch, set.id, run),
    action: 'start',
    run,
    issuedAt: now.toISOString(),
    origin: { kind: 'change', name: watch },
    reason: describePackageChanges(set, maxReasonLength),
  };
}

/** One line for `autopilot status`; losing it loses nothing else. */
async function noteForStatus(watch: string, set: ChangeSet, { ledger, now, reports }: PollDeps): Promise<void> {
  const detail = describePackageChanges(set, maxDetailLength);
  const at = now().toISOString();
  await rememberRecentOutcomes(ledger, [
    { worker: 'poll-scanner-packages', subject: watch, kind: 'applied', detail, at },
  ]).catch((error: unknown) => {
    reports.log.warn(logEvents.failed, 'the list of recent outcomes could not be written', { error: toError(error) });
  });
}
