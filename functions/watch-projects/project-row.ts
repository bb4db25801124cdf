import type { EndpointsLook, ProjectWatchRow } from '#shared/ledger/rows/project-watch-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { projectWatchScheduleName } from '#shared/config/names.ts';
import { type LeasedRow, takeRow } from '../_watch/leased-row.ts';
import type { ProjectDeps } from './deps.ts';

/** The row of a watched project, held under a lease. */
export type ProjectRow = LeasedRow<ProjectWatchRow>;

/** DynamoDB refuses rows above 400 KB; the rest is for the key and what its encoding adds. About 1,800 scanners and packages fit. */
const maxRowBytes = 350_000;

/** After the platform has cut the tick that holds it, and its clock may differ. */
const leaseMarginMs = 30_000;

/** Takes the row of a watch until this tick is certainly over; `undefined` while another one holds it. */
export async function takeProject(watch: string, deps: ProjectDeps): Promise<ProjectRow | undefined> {
  const { ledger, now, remainingMs, attemptId: owner } = deps;
  const fresh: ProjectWatchRow = { pk: ledgerKeys.projectWatch(watch), kind: 'project-watch', name: watch };
  return takeRow({ ledger, fresh, owner, leaseMs: remainingMs() + leaseMarginMs, now });
}

/** How commands, events and log lines name the watch: as `autopilot fire` does. */
export function nameOf(row: ProjectRow): string {
  return projectWatchScheduleName(row.current().name);
}

/**
 * Writes what a look found.
 * @throws AppError PROJECT_TOO_LARGE before anything is written
 */
export async function writeLook(
  row: ProjectRow,
  found: Required<Pick<ProjectWatchRow, 'look'>> & Pick<ProjectWatchRow, 'changeSet'>,
): Promise<void> {
  const after: ProjectWatchRow = { ...row.current(), ...found };
  if (Buffer.byteLength(JSON.stringify(after)) > maxRowBytes) {
    throw new AppError(`the configuration of the project ${found.look.project} is larger than this watch can compare`, {
      code: 'PROJECT_TOO_LARGE',
      retryable: false,
    });
  }
  await row.write(after);
}

/** Writes what is known of the endpoints. */
export async function writeEndpoints(row: ProjectRow, endpoints: EndpointsLook): Promise<void> {
  await row.write({ ...row.current(), endpoints });
}
