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
import { createGatewayAccess, createPacedGateway } from '../_gateway/gateway-access.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { watchOf } from '../_watch/watched-row.ts';
import { watchProject } from './watch-project.ts';

function build(runtime: Runtime<'watch-projects'>): ScheduledFunction {
  const { projectWatches, projectOfRun } = runtime.config;
  const { ports, token, smoke } = createGatewayAccess(runtime);
  const { ledger } = ports;
  const deps = { ...ports, gateway: createPacedGateway(runtime, token), projectOfRun };
  return {
    ledger,
    smoke: { ...smoke, runsInFlight: () => ledger.listOpen('RUN_IN_FLIGHT', { limit: 1 }) },
    run: (event, tick) => watchProject(watchOf(event, projectWatches), { ...tick, ...deps }),
  };
}

/** Looks at one project's configuration, tells what changed and starts what its rules name. */
export const handler = createScheduledHandler('watch-projects', build);
