import { toError } from '#shared/errors/app-error.ts';
import type { ProjectChangeSet } from '#shared/ledger/rows/project-watch-row.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { ProjectDeps } from './deps.ts';
import { nameOf, type ProjectRow } from './project-row.ts';
import { countOf, describeChange, describeChangeSet } from '#shared/changes/words.ts';

const maxReasonLength = 1000;
const maxDetailLength = 200;

/**
 * Sends what the row's change set asks for, then drops it from the row. Everything sent carries ids made of the set's own, so a tick that dies
 * in here is repeated by the next one and nothing happens twice.
 * @returns the set, where there was one
 */
export async function finishChangeSet(row: ProjectRow, deps: ProjectDeps): Promise<ProjectChangeSet | undefined> {
  const { changeSet: set, ...rest } = row.current();
  if (set === undefined) return undefined;
  const watch = nameOf(row);
  await sendStarts(watch, set, deps);
  await tellChange(watch, set, deps);
  await tellRuns(watch, set, deps);

  await row.write(rest);
  deps.reports.count(metricNames.projectChanges, countOf(set));
  deps.reports.count(metricNames.runsNotComparable, set.notComparable.length);
  await noteForStatus(watch, set, deps);
  return set;
}

async function sendStarts(
  watch: string,
  set: ProjectChangeSet,
  { commands, reports, now }: ProjectDeps,
): Promise<void> {
  for (const run of set.starts) {
    const command: CampaignRunCommand = {
      version: 1,
      id: commandIds.change(watch, set.id, run),
      action: 'start',
      run,
      // At sending, not when the change was found: a set that a dead tick left is finished by the next one, a day later, and must not be late.
      issuedAt: now().toISOString(),
      origin: { kind: 'change', name: watch },
      reason: describeChangeSet(set, maxReasonLength),
    };
    await commands.send(JSON.stringify(command));
    reports.log.info(logEvents.commandSent, `start of ${run} sent`, { commandId: command.id, run, watch });
  }
}

async function tellChange(watch: string, set: ProjectChangeSet, { bus, reports }: ProjectDeps): Promise<void> {
  const { id: eventId, project, from, to, changes, starts } = set;
  const told = {
    watch,
    project,
    from,
    to,
    count: countOf(set),
    changes,
    difference: changes.map(describeChange),
    starts,
  };
  await bus.publish(eventTypes.projectChanged, { eventId, ...told });
  reports.log.info(logEvents.projectLooked, `${watch}: ${describeChangeSet(set, maxReasonLength)}`, {
    eventId,
    ...told,
  });
}

async function tellRuns(watch: string, set: ProjectChangeSet, { bus, reports }: ProjectDeps): Promise<void> {
  const { id, project, from, to, changes } = set;
  const difference = changes.map(describeChange);
  for (const { campaignRunId, run, startedAt } of set.notComparable) {
    const told = { campaignRunId, run, startedAt, watch, project, from, to, difference };
    await bus.publish(eventTypes.campaignRunNotComparable, { eventId: `${id}:${campaignRunId}`, ...told });
    const sentence = `${run} (${campaignRunId}) ran while its project changed: ${describeChangeSet(set, maxReasonLength)}`;
    reports.log.warn(logEvents.runNotComparable, sentence, { changeSet: id, campaignRunId, run, watch });
  }
}

/** One line for `autopilot status`; losing it loses nothing else. */
async function noteForStatus(watch: string, set: ProjectChangeSet, deps: ProjectDeps): Promise<void> {
  const { recent, now, reports } = deps;
  const detail = describeChangeSet(set, maxDetailLength);
  const at = now().toISOString();
  await rememberRecentOutcomes(recent, [
    { worker: 'watch-projects', subject: watch, kind: 'applied', detail, at },
  ]).catch((error: unknown) => {
    reports.log.warn(logEvents.failed, 'the list of recent outcomes could not be written', { error: toError(error) });
  });
}
