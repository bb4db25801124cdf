import { toError } from '#shared/errors/app-error.ts';
import type { ResolvedProjectWatch } from '#shared/config/resolve/resolved-automation.ts';
import type { TickAnswer } from '#shared/messages/tick-answer.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { ProjectDeps } from './deps.ts';
import { finishChangeSet } from './finish-change-set.ts';
import { lookAtEndpoints, tellEndpoints } from './look-at-endpoints.ts';
import { lookAtProject } from './look-at-project.ts';
import { takeProject } from './project-row.ts';
import { notLooked, tickSummary, underWaySummary } from './tick-summary.ts';

/**
 * One tick of one watch: takes its row, sends what a dead tick left, looks at the configuration, and once a day at the endpoints. Whatever goes
 * wrong escapes; the next tick begins from the row again. At a closed gate there is nothing to do.
 */
export async function watchProject(watch: ResolvedProjectWatch, deps: ProjectDeps): Promise<TickAnswer> {
  const { log } = deps.reports;
  const row = await takeProject(watch.name, deps);
  if (row === undefined) {
    log.info(logEvents.projectLooked, 'another look at this project is under way; this one has nothing to do', {
      watch: watch.name,
    });
    return underWaySummary(watch.name);
  }

  try {
    const leftover = await finishChangeSet(row, deps);
    await tellEndpoints(row, deps);
    if ((await deps.gate.waitMs(deps.remainingMs)) > 0) {
      return notLooked(watch.name, 'nobody calls the gateway at the moment; a later tick looks', leftover);
    }
    const look = await lookAtProject(row, watch, deps);
    const endpoints = look.kind === 'paused' ? { kind: 'notDue' as const } : await lookAtEndpoints(row, watch, deps);
    return tickSummary(watch.name, look, endpoints, leftover);
  } finally {
    await row.release().catch((error: unknown) => {
      log.warn(logEvents.failed, 'the lease could not be given back; it ends by itself', { error: toError(error) });
    });
  }
}
