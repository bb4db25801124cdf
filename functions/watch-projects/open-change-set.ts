import { createHash } from 'node:crypto';
import type { ResolvedProjectChangeRule, ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { Project } from '#shared/gateway-client/index.ts';
import type { ProjectChangeSet, ProjectLook } from '#shared/ledger/rows/project-watch-row.ts';
import { readConfigAt } from './ask-gateway.ts';
import { type Difference, isSameAt, toldChanges } from '#shared/changes/compare-configs.ts';
import type { ProjectDeps } from './deps.ts';
import type { ReadConfig } from '#shared/changes/read-config.ts';
import { runsInWindow } from './runs-in-window.ts';
import { shortLine, isLike } from '#shared/changes/words.ts';

/** More changes than these are counted and not listed: an event is at most 256 KB, and nobody reads more. */
const maxListed = 50;

/** Room for one more read of the gateway with its repeats (15 s), and for the writes after it; a third of the time where the function has little. */
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

/** All that is to be told and started for what two looks differ in. */
export async function openChangeSet(looks: ComparedLooks, deps: ProjectDeps): Promise<ProjectChangeSet> {
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
    starts: selectStarts(differences, watch.onChange),
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
export function selectStarts(
  differences: readonly Difference[],
  rules: readonly ResolvedProjectChangeRule[],
): readonly string[] {
  const matching = rules.filter(({ match }) =>
    differences.some(
      ({ kind, field }) => isLike(field, match.field) && (match.kind === undefined || match.kind === kind),
    ),
  );
  return [...new Set(matching.map(({ start }) => start))];
}
