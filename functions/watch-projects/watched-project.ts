import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import { ConfigMissingError, type ReadConfig, readConfig } from '#shared/changes/read-config.ts';
import { projectWatchScheduleName } from '#shared/config/names.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { classifyFailure, type GatewayClient, GatewayError } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { EndpointsLook, ProjectWatchRow } from '#shared/ledger/rows/watch-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Tick } from '../_handler/handlers.ts';
import { type LeasedRow, takeRow } from '../_watch/leased-row.ts';

/** What one tick works with. */
export interface ProjectDeps extends Pick<Tick, 'now' | 'remainingMs' | 'attemptId'> {
  readonly gateway: Pick<GatewayClient, 'getProject' | 'listEndpoints'>;
  readonly gate: Gate;
  /** The rows of the stage's mode. */
  readonly ledger: Ledger;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomePublisher;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
  /** The project that each configured run attacks, if its campaign names one. */
  readonly projectOfRun: Readonly<Record<string, string>>;
}

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

/**
 * One read of the gateway, and what it says to the gate. `undefined`: the gateway asked for a
 * pause, which is no error of the tick.
 * @param about - the row that it is for
 * @throws any other failure
 */
export async function askGateway<Answer extends object>(
  about: string,
  read: () => Promise<Answer>,
  { gate }: Pick<ProjectDeps, 'gate'>,
): Promise<Answer | undefined> {
  try {
    const answer = await read();
    await gate.answered();
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const verdict = classifyFailure('get', error);
    await gate.failed(verdict, about);
    if (verdict.pauseMs !== undefined) return undefined;
    throw error;
  }
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
    reports.log.warn(logEvents.configAtUnread, `the configuration of ${configAt} could not be read`, {
      project,
      error,
    });
    return undefined;
  }
}
