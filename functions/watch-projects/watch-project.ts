import { compareConfigs, fingerprintsAfter } from '#shared/changes/compare-configs.ts';
import { readConfig } from '#shared/changes/read-config.ts';
import { countOf, describeChangeSet } from '#shared/changes/words.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { ProjectChangeSet, ProjectLook } from '#shared/ledger/rows/watch-row.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { lookAtEndpoints, tellEndpoints } from './look-at-endpoints.ts';
import { askGateway, lookOf, sentFacts, sentWords } from '../_watch/watched-row.ts';
import { finishChangeSet } from '../_watch/finish-change-set.ts';
import { openProjectChangeSet, outgoingOfProject } from './project-change-set.ts';
import { type ProjectDeps, type ProjectRow, readProject, watchNameOf, writeLook } from './watched-project.ts';

/**
 * One tick of one watch: reads its row, sends what a dead tick left, looks at the configuration,
 * and once a day at the endpoints. Every error escapes; the next tick begins from the row again. At
 * a closed gate there is nothing to do.
 */
export async function watchProject(watch: ResolvedProjectWatch, deps: ProjectDeps): Promise<TickAnswer> {
  return lookOf(watch.name, () => tick(watch, deps), deps.reports);
}

async function tick(watch: ResolvedProjectWatch, deps: ProjectDeps): Promise<TickAnswer> {
  const row = await readProject(watch.name, deps);
  const leftover = await sendChangeSet(row, deps);
  await tellEndpoints(row, deps);
  if ((await deps.gate.waitMs(deps.remainingMs)) > 0) {
    return notLooked(watch.name, 'no worker calls the gateway at the moment; a later tick looks', leftover);
  }
  const look = await lookAtProject(row, watch, deps);
  if (look === undefined) return notLooked(watch.name, 'the gateway asked for a pause; a later tick looks', leftover);
  const inUse = await lookAtEndpoints(row, watch, deps);
  return tickAnswerOf(watch.name, { ...look, sets: [...leftover, ...look.sets] }, inUse);
}

function sendChangeSet(row: ProjectRow, deps: ProjectDeps): Promise<readonly ProjectChangeSet[]> {
  return finishChangeSet(row, (set) => outgoingOfProject(watchNameOf(row), set), deps);
}

/** What one look came to, and the sets that were sent. */
interface Looked {
  /** It was the first of its project. */
  readonly isBaseline: boolean;
  readonly sets: readonly ProjectChangeSet[];
}

/**
 * Reads the project and acts on what is different from the last look. The look and its differences
 * are one write. A tick that dies before it has seen nothing. One that dies after it has left a set
 * with a fixed id, which the next tick finishes.
 * @returns `undefined`: the gateway asked for a pause
 * @throws ConfigMissingError, AppError PROJECT_TOO_LARGE, and each failure of the gateway but a
 *   pause
 */
async function lookAtProject(
  row: ProjectRow,
  watch: ResolvedProjectWatch,
  deps: ProjectDeps,
): Promise<Looked | undefined> {
  // Before the request: what is different from it then has come after this instant for sure.
  const at = deps.now().toISOString();
  const read = () => deps.gateway.getProject({ project: watch.project });
  const answer = await askGateway(row.current().pk, read, deps);
  if (answer === undefined) return undefined;

  const { project } = answer;
  const seen = readConfig(project);
  const known = row.current().look;
  const bare = { project: watch.project, at };
  const { log } = deps.reports;
  if (known?.project !== watch.project) {
    await writeLook(row, { look: { ...bare, config: seen.fingerprints } });
    log.info(logEvents.projectLooked, `${watchNameOf(row)}: first look, noted, nothing reported`, bare);
    return { isBaseline: true, sets: [] };
  }

  const look: ProjectLook = { ...bare, config: fingerprintsAfter(known.config, seen.fingerprints) };
  const differences = compareConfigs(known.config, look.config);
  if (differences.length === 0) {
    await writeLook(row, { look });
    log.info(logEvents.projectLooked, `${watchNameOf(row)}: nothing changed`, { since: known.at });
    return { isBaseline: false, sets: [] };
  }
  const changeSet = await openProjectChangeSet({ watch, project, differences, known, look, seen }, deps);
  await writeLook(row, { look, changeSet });
  return { isBaseline: false, sets: await sendChangeSet(row, deps) };
}

/** The differences themselves; the event has them all. */
const maxDifferenceLength = 300;

/**
 * What a tick came to: `2 changes (scanners.ID.version: 2026-01 → 2026-02; …), start of nightly sent, 3 deprecated endpoints in use`.
 */
function tickAnswerOf(watch: string, { isBaseline, sets }: Looked, inUse: number | undefined): TickAnswer {
  const nothing = isBaseline ? 'nothing to compare with yet' : 'nothing changed';
  const summary = [
    ...(isBaseline ? ['first look'] : []),
    ...(sets.length > 0 ? sets.map(describe) : [nothing]),
    ...(inUse === undefined ? [] : [`${inUse} deprecated endpoints in use`]),
  ].join(', ');
  return { summary, watch, isBaseline, ...factsOf(sets) };
}

/** The answer of a tick that did not get to look. */
function notLooked(watch: string, why: string, sets: readonly ProjectChangeSet[]): TickAnswer {
  const summary = [why, ...sets.map((set) => `from before: ${describe(set)}`)].join('; ');
  return { summary, watch, isUnfinished: true, ...factsOf(sets) };
}

function factsOf(sets: readonly ProjectChangeSet[]) {
  const ids = sets.flatMap((set) => set.notComparable.map(({ campaignRunId }) => campaignRunId));
  return { ...sentFacts(sets), notComparable: [...new Set(ids)] };
}

function describe(set: ProjectChangeSet): string {
  const { starts, notComparable } = set;
  const count = countOf(set);
  return [
    `${count} ${count === 1 ? 'change' : 'changes'} (${describeChangeSet(set, maxDifferenceLength)})`,
    sentWords(starts),
    ...(notComparable.length === 0 ? [] : [`not comparable: ${notComparable.map(({ run }) => run).join(', ')}`]),
  ].join(', ');
}
