import { ConfigMissingError, type ReadConfig, readConfig } from '#shared/changes/read-config.ts';
import { projectWatchScheduleName } from '#shared/config/schema/names.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { type GatewayClient, GatewayError } from '#shared/gateway-client/index.ts';
import type { ProjectWatchRow } from '#shared/ledger/rows/watch-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Tick } from '../_handler/handlers.ts';
import { askGateway, watchedRow, type WatchedRow } from '../_watch/watched-row.ts';
import type { ChangeSetDeps } from '../_watch/finish-change-set.ts';

/** What one tick works with. */
export interface ProjectDeps extends ChangeSetDeps, Pick<Tick, 'remainingMs' | 'attemptId'> {
  readonly gateway: Pick<GatewayClient, 'getProject' | 'listEndpoints'>;
  readonly gate: Gate;
  /** The project that each configured run attacks, if its campaign names one. */
  readonly projectOfRun: Readonly<Record<string, string>>;
}

/** The row of a watched project. */
export type ProjectRow = WatchedRow<ProjectWatchRow>;

/** DynamoDB refuses rows above 400 KB; the rest is for the key and what its encoding adds. About 1,800 scanners and packages fit. */
const maxRowBytes = 350_000;

/** Reads the row of a watch. */
export async function readProject(name: string, { ledger }: Pick<ProjectDeps, 'ledger'>): Promise<ProjectRow> {
  const fresh: ProjectWatchRow = { pk: ledgerKeys.projectWatch(name), kind: 'project-watch', name };
  return watchedRow(ledger, await ledger.read<ProjectWatchRow>(fresh.pk), fresh);
}

/** How commands, events and log lines name the watch: as `autopilot fire` does. */
export function watchNameOf(row: ProjectRow): string {
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
  const says = `the configuration of the project ${found.look.project} is larger than this watch can compare`;
  if (Buffer.byteLength(JSON.stringify(after)) > maxRowBytes)
    throw new AppError(says, { code: 'PROJECT_TOO_LARGE', retryable: false });
  await row.write(after);
}

/** What `configAt` answers, if it does. Nothing hangs on it: it gives words to what is known, and spares a run that began after a change. */
export async function readConfigAt(
  project: string,
  configAt: string,
  deps: ProjectDeps,
): Promise<ReadConfig | undefined> {
  const { gateway, reports } = deps;
  try {
    const answer = await askGateway(`configAt of ${project}`, () => gateway.getProject({ project, configAt }), deps);
    return answer === undefined ? undefined : readConfig(answer.project);
  } catch (error) {
    if (!(error instanceof GatewayError || error instanceof ConfigMissingError)) throw error;
    const says = `the configuration of ${configAt} could not be read`;
    reports.log.warn(logEvents.configAtUnread, says, { project, error });
    return undefined;
  }
}
