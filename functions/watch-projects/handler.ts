/**
 * Trigger: one EventBridge schedule for each watch of
 *   `projects` in automation.config.ts. Input: `{"watch": "NAME"}`.
 * Effects: GET /projects/ID, with `configAt` if something changed; once a day GET /endpoints.
 *   Writes the watch's row in the ledger. Sends starts to the commands queue
 *   (`change:projects.WATCH:CHANGE-SET:RUN`). Publishes ProjectChanged, CampaignRunNotComparable,
 *   EndpointsStillInUse on the bus.
 * On failure: the error escapes; the next tick compares with the same look. What was found before
 *   is in the row and is sent under the same ids.
 * Alarms, each a heading of docs/runbook.md: WatchProjectsFailures, WatchProjectsNotRunning.
 */
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { lazily } from '#shared/aws/client-settings.ts';
import { createQueue, createSqsClient } from '#shared/aws/queue.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createGatewayAccess } from '../_gateway/gateway-access.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { requestLog } from '../_gateway/gate.ts';
import { commandsOfMode, openLedger } from '../_handler/stage-ledger.ts';
import { createPacer } from '../_gateway/rate-limiter.ts';
import { watchOf } from '../_watch/watched-row.ts';
import { watchProject } from './watch-project.ts';

function build(runtime: Runtime<'watch-projects'>): ScheduledFunction {
  const { env, config, log } = runtime;
  const { ledger } = openLedger(env, config.mode);
  const { token, gate, probe } = createGatewayAccess(runtime, ledger);
  const ports = {
    ledger,
    gateway: createGatewayClient({
      ...config.gateway,
      tokenProvider: token,
      pace: createPacer(config.requestsPerSecond),
      onRequest: requestLog(log),
    }),
    gate,
    commands: commandsOfMode(config.mode, createQueue(lazily(createSqsClient), env.COMMANDS_QUEUE_URL)),
    bus: createOutcomeBus(lazily(createEventBridgeClient), env.EVENT_BUS_NAME),
    projectOfRun: config.projectOfRun,
  };

  return {
    ledger,
    smoke: {
      ledger: () => ledger.read(ledgerKeys.gate()),
      runsInFlight: () => ledger.listOpen('RUN_IN_FLIGHT', { limit: 1 }),
      token: () => token.get(),
      gateway: probe,
    },
    run: (event, tick) => watchProject(watchOf(event, config.projectWatches), { ...tick, ...ports }),
  };
}

/** Looks at one project's configuration, tells what changed and starts what its rules name. */
export const handler = createScheduledHandler('watch-projects', build);
