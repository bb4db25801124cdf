import { type Difference, isSameAt, toldChanges } from '#shared/changes/compare-configs.ts';
import type { ReadConfig } from '#shared/changes/read-config.ts';
import { countOf, describeChange, describeChangeSet, isLike, shortLine } from '#shared/changes/words.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { Project } from '#shared/gateway-client/index.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { ProjectChangeSet, ProjectLook, RunInWindow } from '#shared/ledger/rows/watch-row.ts';
import { maxAheadMs } from '#shared/messages/campaign-run-command.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { changeSetId, type Outgoing, type OutgoingEvent } from '../_watch/finish-change-set.ts';
import { type ProjectDeps, readConfigAt } from './watched-project.ts';
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
  const { id, name, friendlyId } = project;
  const names = new Set([watch.project, id, name, friendlyId].filter((text) => text !== undefined && text !== ''));
  return {
    id: changeSetId(watch.name, look.at, deps.attemptId),
    project: { id: shortLine(project.id), name: shortLine(project.name ?? watch.project) },
    from: known.at,
    to: look.at,
    changes: changes.slice(0, maxListed),
    more: Math.max(0, changes.length - maxListed),
    starts: startsForProject(differences, watch.onChange),
    notComparable: await runsInWindow({ names, from: known.at, to: look.at, hadChangedAt }, deps),
  };
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
interface Drift {
  /** Every word by which a campaign may name the project. */
  readonly names: ReadonlySet<string | null | undefined>;
  readonly from: string;
  readonly to: string;
  /** Whether the project was then as it is now, in all that changed: then it had changed before. `false` also if that is not known. */
  readonly hadChangedAt: (instant: string) => Promise<boolean>;
}

/**
 * The runs in flight that this change is part of, so that their results cannot be compared with those of other runs. A run that began between
 * the two looks is one of them unless the gateway shows that the change came first.
 */
async function runsInWindow(drift: Drift, deps: ProjectDeps): Promise<readonly RunInWindow[]> {
  const affected: RunInWindow[] = [];
  for (const { entry } of await readRunsInFlight(deps.ledger)) {
    const { campaignRunId, run, due: startedAt, endsAt, plansStop } = entry;
    if (!drift.names.has(deps.projectOfRun[run])) continue;
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

const maxSentenceLength = 1000;

/** What a set asks for beside its starts. */
export function outgoingOfProject(watch: string, set: ProjectChangeSet): Outgoing {
  const { id: eventId, project, from, to, changes, starts } = set;
  const difference = changes.map(describeChange);
  const sentence = describeChangeSet(set, maxSentenceLength);
  const notice = { watch, project, from, to, count: countOf(set), changes, difference, starts };
  const changed: OutgoingEvent = {
    type: eventTypes.projectChanged,
    detail: { eventId, ...notice },
    log: ['info', logEvents.projectLooked, `${watch}: ${sentence}`, { eventId, ...notice }],
  };
  const ofRuns = set.notComparable.map((affected): OutgoingEvent => {
    const { campaignRunId, run } = affected;
    const says = `${run} (${campaignRunId}) ran while its project changed: ${sentence}`;
    return {
      type: eventTypes.campaignRunNotComparable,
      detail: { eventId: `${eventId}:${campaignRunId}`, ...affected, watch, project, from, to, difference },
      log: ['warn', logEvents.runNotComparable, says, { changeSet: eventId, campaignRunId, run, watch }],
    };
  });
  return {
    worker: 'watch-projects',
    watch,
    words: (maxLength) => describeChangeSet(set, maxLength),
    events: [changed, ...ofRuns],
    counts: [
      [metricNames.projectChanges, countOf(set)],
      [metricNames.runsNotComparable, set.notComparable.length],
    ],
  };
}
