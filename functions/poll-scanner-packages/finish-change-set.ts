import { toError } from '#shared/errors/app-error.ts';
import type { ChangeSet } from '#shared/ledger/rows/watch-row.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { countOf, describeChangeSet, firstOf, type ListLimits, withFound } from './change-set.ts';
import type { PollDeps } from './deps.ts';
import { chunkGroups, readGroup } from './watch-chunks.ts';
import type { WatchHead } from './watch-head.ts';

/** An event is at most 256 KB; this stays below, and the count says how many changes there are. */
const ofEvent: ListLimits = { changes: 100, bytes: 200_000 };

const maxReasonLength = 1000;
const maxDetailLength = 200;

/**
 * Closes the open change set, if there is one: nothing is added to it any more, and what it asks for is sent.
 * @returns the set, where there was one with something in it
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
 * Sends what a closing change set asks for, then drops it from the head row. Everything sent carries ids made of the set's own, so a poll that
 * dies in here is repeated by the next one and nothing happens twice.
 */
async function finishChangeSet(head: WatchHead, deps: PollDeps): Promise<ChangeSet | undefined> {
  const { changeSet: set, openState: _state, openSince: _since, ...rest } = head.current();
  if (set === undefined) return undefined;
  if (countOf(set) === 0) {
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
    count: countOf(set),
    changes: firstOf(set.changes, ofEvent),
    starts: set.starts,
  });
  log.info(logEvents.eventPublished, eventTypes.scannerPackagesChanged, { eventId: set.id, watch: rest.name });

  await head.write(rest);
  count(metricNames.packagesChanged, countOf(set));
  log.info(logEvents.changeSet, 'change set closed', { watch: rest.name, changeSet: set.id, starts: set.starts });
  await noteForStatus(rest.name, set, deps);
  return set;
}

/**
 * Stamped at sending, not when the set was opened: a set that a dead poll left is finished by the next one, hours later, and its start must
 * not be late by then. Sent a second time it is the same command by its id, and a command that has its outcome is never run again.
 */
function startCommand(watch: string, set: ChangeSet, run: string, now: Date): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.change(watch, set.id, run),
    action: 'start',
    run,
    issuedAt: now.toISOString(),
    origin: { kind: 'change', name: watch },
    reason: describeChangeSet(set, maxReasonLength),
  };
}

/** One line for `autopilot status`; losing it loses nothing else. */
async function noteForStatus(watch: string, set: ChangeSet, { recent, now, reports }: PollDeps): Promise<void> {
  const detail = describeChangeSet(set, maxDetailLength);
  const at = now().toISOString();
  await rememberRecentOutcomes(recent, [
    { worker: 'poll-scanner-packages', subject: watch, kind: 'applied', detail, at },
  ]).catch((error: unknown) => {
    reports.log.warn(logEvents.failed, 'the list of recent outcomes could not be written', { error: toError(error) });
  });
}
