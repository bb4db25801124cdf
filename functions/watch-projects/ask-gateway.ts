import { classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { ProjectDeps } from './deps.ts';
import { ConfigMissingError, type ReadConfig, readConfig } from '#shared/changes/read-config.ts';

/**
 * One read of the gateway, and what it says to the gate. `undefined`: the gateway asked for a pause, which is no error of the tick.
 * @param about - the row that it is for
 * @throws whatever else came back
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
    await gate.failed(verdict, about, error.message);
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
