import { createHash } from 'node:crypto';
import { type Difference, isSameAt, toldChanges } from '#shared/changes/compare-configs.ts';
import type { ReadConfig } from '#shared/changes/read-config.ts';
import { countOf, describeChange, describeChangeSet, isLike, shortLine } from '#shared/changes/words.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import { toError } from '#shared/errors/app-error.ts';
import type { Project } from '#shared/gateway-client/index.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import type { ProjectChangeSet, ProjectLook, RunInWindow } from '#shared/ledger/rows/watch-row.ts';
import { type CampaignRunCommand, maxAheadMs } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { watchNameOf, type ProjectDeps, type ProjectRow, readConfigAt } from './watched-project.ts';
import type { ProjectChangeRuleDocument } from '#shared/config/automation.ts';

/** More changes than these are counted and not listed: an event is at most 256 KB, and no person reads more. */
const maxListed = 50;

/**
 * Room for one more read of the gateway with its repeats (15 s), and for the writes after it. It is
 * a third of the time if the function has little.
 */
const mostNeededMs = 25_000;

/** Two looks that differ. */
export interface ComparedLooks {
  readonly watch: ResolvedProjectWatch;
  readonly project: Project;
  readonly differences: readonly Difference[];
  readonly known: ProjectLook;
  readonly look: ProjectLook;
  readonly seen: ReadConfig;
}

/** All that is published and started for the differences of two looks. */
export async function openProjectChangeSet(looks: ComparedLooks, deps: ProjectDeps): Promise<ProjectChangeSet> {
  const { watch, project, differences, known, look, seen } = looks;
  const neededMs = Math.min(mostNeededMs, deps.remainingMs() / 3);
  const readAt = async (instant: string) =>
    deps.remainingMs() > neededMs ? readConfigAt(watch.project, instant, deps) : undefined;

  const earlier = await readAt(known.at);
  // A gateway that takes no notice of `configAt` answers what is now: its word is not taken for any other instant either.
  const looksBack = earlier !== undefined && isSameAt(differences, earlier.fingerprints, known.config);
  const hadChangedAt = async (instant: string) => {
    const then = looksBack ? await readAt(instant) : undefined;
    return then !== undefined && isSameAt(differences, then.fingerprints, look.config);
  };

  const changes = toldChanges(differences, known.config, earlier, seen);
  return {
    id: idOf(watch.name, look.at, deps.attemptId),
    project: { id: shortLine(project.id), name: shortLine(project.name ?? watch.project) },
    from: known.at,
    to: look.at,
    changes: changes.slice(0, maxListed),
    more: Math.max(0, changes.length - maxListed),
    starts: startsForProject(differences, watch.onChange),
    notComparable: await runsInWindow(
      { names: namesOf(project, watch), from: known.at, to: look.at, hadChangedAt },
      deps,
    ),
  };
}

function namesOf({ id, name, friendlyId }: Project, { project }: ResolvedProjectWatch): ReadonlySet<string> {
  return new Set([project, id, name ?? '', friendlyId ?? ''].filter((text) => text !== ''));
}

function idOf(watch: string, since: string, attemptId: string): string {
  const unique = createHash('sha256').update(`${watch} ${since} ${attemptId}`).digest('hex').slice(0, 8);
  return `${since}-${unique}`;
}

/** The runs that the rules name for these differences: each once, in the order of the rules. */
export function startsForProject(
  differences: readonly Difference[],
  rules: readonly ProjectChangeRuleDocument[],
): readonly string[] {
  const matching = rules.filter(({ match }) =>
    differences.some(
      ({ kind, field }) => isLike(field, match.field) && (match.kind === undefined || match.kind === kind),
    ),
  );
  return [...new Set(matching.map(({ start }) => start))];
}

/**
 * The gateway's clock and ours differ by at most this, the same trust that messages get. A change
 * that it dates earlier came before the start for sure.
 */
const clockMarginMs = maxAheadMs;

/** A project changed between two looks. */
export interface Drift {
  /** Every word by which a campaign may name the project. */
  readonly names: ReadonlySet<string>;
  readonly from: string;
  readonly to: string;
  /** Whether the project was then as it is now, in all that changed: then it had changed before. `false` also if that is not known. */
  readonly hadChangedAt: (instant: string) => Promise<boolean>;
}

/**
 * The runs in flight that this change is part of, so that their results cannot be compared with those of other runs. A run that began between
 * the two looks is one of them unless the gateway shows that the change came first.
 */
export async function runsInWindow(drift: Drift, deps: ProjectDeps): Promise<readonly RunInWindow[]> {
  const affected: RunInWindow[] = [];
  for (const { entry } of await readRunsInFlight(deps.ledger)) {
    const { campaignRunId, run, due: startedAt, endsAt, plansStop } = entry;
    if (!drift.names.has(deps.projectOfRun[run] ?? '')) continue;
    // A planned stop has to be applied, also long after its time.
    const isOver = !plansStop && isBefore(endsAt, drift.from);
    if (!isBefore(startedAt, drift.to) || isOver) continue;
    if (isBefore(drift.from, startedAt) && (await drift.hadChangedAt(wellBefore(startedAt)))) continue;
    affected.push({ campaignRunId, run, startedAt });
  }
  return affected;
}

function wellBefore(instant: string): string {
  return new Date(Date.parse(instant) - clockMarginMs).toISOString();
}

function isBefore(one: string, other: string): boolean {
  return Date.parse(one) < Date.parse(other);
}

const maxReasonLength = 1000;
const maxDetailLength = 200;

/**
 * Sends what the row's change set asks for, then drops it from the row. Everything sent carries ids
 * made of the set's own. So if a tick dies here, the next one repeats it and nothing happens twice.
 * @returns the set, if there was one
 */
export async function finishChangeSet(row: ProjectRow, deps: ProjectDeps): Promise<ProjectChangeSet | undefined> {
  const { changeSet: set, ...rest } = row.current();
  if (set === undefined) return undefined;
  const watch = watchNameOf(row);
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
      // Stamped at sending, not when the change was found. The next tick may finish a dead tick's
      // set a day later, and it must not be late.
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
  const notice = {
    watch,
    project,
    from,
    to,
    count: countOf(set),
    changes,
    difference: changes.map(describeChange),
    starts,
  };
  await bus.publish(eventTypes.projectChanged, { eventId, ...notice });
  reports.log.info(logEvents.projectLooked, `${watch}: ${describeChangeSet(set, maxReasonLength)}`, {
    eventId,
    ...notice,
  });
}

async function tellRuns(watch: string, set: ProjectChangeSet, { bus, reports }: ProjectDeps): Promise<void> {
  const { id, project, from, to, changes } = set;
  const difference = changes.map(describeChange);
  for (const { campaignRunId, run, startedAt } of set.notComparable) {
    const notice = { campaignRunId, run, startedAt, watch, project, from, to, difference };
    await bus.publish(eventTypes.campaignRunNotComparable, { eventId: `${id}:${campaignRunId}`, ...notice });
    const sentence = `${run} (${campaignRunId}) ran while its project changed: ${describeChangeSet(set, maxReasonLength)}`;
    reports.log.warn(logEvents.runNotComparable, sentence, { changeSet: id, campaignRunId, run, watch });
  }
}

/** One line for `autopilot status`; losing it loses nothing else. */
async function noteForStatus(watch: string, set: ProjectChangeSet, deps: ProjectDeps): Promise<void> {
  const { ledger, now, reports } = deps;
  const detail = describeChangeSet(set, maxDetailLength);
  const at = now().toISOString();
  await rememberRecentOutcomes(ledger, [
    { worker: 'watch-projects', subject: watch, kind: 'applied', detail, at },
  ]).catch((error: unknown) => {
    reports.log.warn(logEvents.failed, 'the list of recent outcomes could not be written', { error: toError(error) });
  });
}
