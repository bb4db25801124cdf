/**
 * watch-campaigns
 *
 * Trigger: an EventBridge schedule, every minute; a change of an alarm that a campaign halts on.
 * Input: `{"tick": "watch-campaigns"}`; nothing in it is used. Two ticks side by side are harmless:
 *   what they send has ids of its own.
 * Effects: sends planned stops, deferred starts, and the commands of runs in flight whose messages
 *   may be lost, to the commands queue. Counts out runs whose time has ended and that no stop
 *   settles. With gateway.readsRuns reads the runs in flight, takes out those that have ended, and
 *   publishes CampaignRunEnded of each, CampaignRunFailed and CampaignRunScoreLow if it is so.
 *   Findings about a run come and go with that.
 *   Reads the campaigns of starts that none has shown yet, and publishes
 *   CampaignStartUnconfirmed on the outcome bus. With gateway.makesRuns makes, lists and cancels the
 *   runs of pools, and publishes RunPoolNotFilled. Reads the change calendars that blackouts follow.
 *   Reads the alarms that campaigns halt on, holds and releases those campaigns, and stops their runs.
 *   Rows of the ledger remember what was sent and seen.
 * On failure: the error escapes after everything else was done; the next tick starts from the
 *   ledger again. A campaign or a run that cannot be read only waits.
 * Alarms, each a heading of docs/runbook.md: WatchCampaignsFailures, WatchCampaignsNotRunning,
 *   StopsLate, RunFailed, RunUnseen, ScoreLow, FunctionsThrottled.
 */
import { createAlarms, createChangeCalendars } from '#shared/aws/alarms-and-calendars.ts';
import { createGatewayAccess } from '../_gateway/gateway-access.ts';
import { createGatewayWithin } from '../_gateway/gateway-calls.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { checkAlarms } from './follow-alarms.ts';
import { createRateLimiter } from '../_gateway/rate-limiter.ts';
import { watchCampaigns } from './watch-campaigns.ts';

function build(runtime: Runtime<'watch-campaigns'>): ScheduledFunction {
  const { config, log } = runtime;
  const { ports, acting, token, smoke, sqs } = createGatewayAccess(runtime);
  const { ledger } = ports;
  const alarms = createAlarms(sqs, runtime.awsEndpoint);
  const { haltOn } = config;
  const deps = {
    ...ports,
    acting: config.mode === 'observe' ? acting : undefined,
    calendars: createChangeCalendars(sqs, runtime.awsEndpoint),
    alarms,
    rateLimiter: createRateLimiter({ reads: config.requestsPerSecond, runs: config.gateway.requestsPerSecond.runs }),
    random: runtime.random,
    config,
  };
  const gatewayWithin = createGatewayWithin({ ...config.gateway, tokenProvider: token, log });

  return {
    ledger,
    smoke: {
      ...smoke,
      ledger: () => ledger.listOpen('RUN_IN_FLIGHT', { limit: 1 }),
      ...(haltOn === undefined ? {} : { alarms: async () => checkAlarms(haltOn, alarms) }),
    },
    run: (event, tick) =>
      watchCampaigns({ ...tick, ...deps, ...gatewayWithin(tick.remainingMs()), drains: asksToDrain(event) }),
  };
}

/** Sends what is due, and looks whether campaigns show our starts. */
export const handler = createScheduledHandler('watch-campaigns', build);

/** `autopilot drain` asks for it. */
function asksToDrain(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'drain' in event && event.drain === true;
}
