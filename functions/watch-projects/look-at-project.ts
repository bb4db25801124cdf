import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { ProjectChangeSet, ProjectLook } from '#shared/ledger/rows/project-watch-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { askGateway } from './ask-gateway.ts';
import { compareConfigs, fingerprintsAfter } from '#shared/changes/compare-configs.ts';
import type { ProjectDeps } from './deps.ts';
import { finishChangeSet } from './finish-change-set.ts';
import { openChangeSet } from './open-change-set.ts';
import { nameOf, type ProjectRow, writeLook } from './project-row.ts';
import { readConfig } from '#shared/changes/read-config.ts';

/** What one look came to. */
export type LookEnd =
  | { readonly kind: 'paused' }
  | { readonly kind: 'baseline' }
  | { readonly kind: 'compared'; readonly closed: ProjectChangeSet | undefined };

/**
 * Reads the project and acts on what is different from the last look. The look and its differences are one write: whoever dies before it has
 * seen nothing, whoever dies after it has left a set with a fixed id, which the next tick finishes.
 * @throws ConfigMissingError, AppError PROJECT_TOO_LARGE, whatever the gateway answered but a pause
 */
export async function lookAtProject(row: ProjectRow, watch: ResolvedProjectWatch, deps: ProjectDeps): Promise<LookEnd> {
  // Before the request: what is different from it then has come after this instant for sure.
  const at = deps.now().toISOString();
  const read = () => deps.gateway.getProject({ project: watch.project });
  const answer = await askGateway(row.current().pk, read, deps);
  if (answer === undefined) return { kind: 'paused' };

  const { project } = answer;
  const seen = readConfig(project);
  const known = row.current().look;
  const bare = { project: watch.project, at };
  if (known?.project !== watch.project) return takeBaseline(row, { ...bare, config: seen.fingerprints }, deps);

  const look: ProjectLook = { ...bare, config: fingerprintsAfter(known.config, seen.fingerprints) };
  const differences = compareConfigs(known.config, look.config);
  if (differences.length === 0) {
    await writeLook(row, { look });
    deps.reports.log.info(logEvents.projectLooked, `${nameOf(row)}: nothing changed`, { since: known.at });
    return { kind: 'compared', closed: undefined };
  }
  const changeSet = await openChangeSet({ watch, project, differences, known, look, seen }, deps);
  await writeLook(row, { look, changeSet });
  return { kind: 'compared', closed: await finishChangeSet(row, deps) };
}

async function takeBaseline(row: ProjectRow, look: ProjectLook, deps: ProjectDeps): Promise<LookEnd> {
  await writeLook(row, { look });
  deps.reports.log.info(logEvents.projectLooked, `${nameOf(row)}: first look, noted, nothing reported`, {
    project: look.project,
  });
  return { kind: 'baseline' };
}
