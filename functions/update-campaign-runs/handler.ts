/**
 * Trigger: the commands queue (schedules, uploads, changes, operators, the stage's own stops), one
 *   message at a time.
 * Input: a CampaignRunCommand, `shared/messages/campaign-run-command.ts`.
 * Effects: PATCH /campaign-runs/{id} at the gateway. Writes the rows command, run, run id and
 *   target of the ledger, and events on the outcome bus. A start that needs a run ended sends its
 *   stop into its own queue. In `mode: 'observe'` rows of their own, and no PATCH.
 * Idempotent by the command's id, recorded in its ledger row; a run id is used for one start, ever.
 * On failure: the message returns after a back-off, a stop within a minute. It is parked with its
 *   next step if it needs a person, after three dead attempts, or after a day.
 * Alarms, each a heading of docs/runbook.md: UpdateCampaignRunsFailures, MissedWindow,
 *   SupersededSpike, RunIdsLow.
 */
import { readSenders } from '#shared/messages/command-senders.ts';
import type { RunCommandDeps } from '../_runs/decide/state.ts';
import { handleCommand } from '../_runs/handle-command.ts';
import { createGatewayAccess } from '../_gateway/gateway-access.ts';
import { createGatewayWithin } from '../_gateway/gateway-calls.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_handler/handlers.ts';
import { createRateLimiter, requestDistanceMs } from '../_gateway/rate-limiter.ts';
import { createGatewayCalls } from './send-patch.ts';

const recordBudgetMs = 20_000;

function build(runtime: Runtime<'update-campaign-runs'>): QueueFunction {
  const { env, config, log, count, random } = runtime;
  const { ports, acting, token, smoke, commandsQueue } = createGatewayAccess(runtime);
  const gatewayWithin = createGatewayWithin({ ...config.gateway, tokenProvider: token, log });
  const shares = { runs: config.requestsPerSecond, reads: config.readsPerSecond };
  const deps: Omit<RunCommandDeps, 'calls' | 'callBudgetMs'> = {
    ...ports,
    acting,
    senders: readSenders(env.COMMAND_SENDERS),
    rateLimiter: createRateLimiter(shares, { distanceMs: requestDistanceMs(shares) }),
    config,
    random,
    count,
  };
  return {
    ledger: ports.ledger,
    recordBudgetMs,
    postpone: commandsQueue.postpone,
    async handleRecord(record, context) {
      const within = gatewayWithin(context.remainingMs());
      const calls = createGatewayCalls({ ...within, gate: ports.gate, config });
      return handleCommand(record, context, { ...deps, callBudgetMs: within.callBudgetMs, calls });
    },
    smoke: { ledger: smoke.ledger, token: smoke.token },
  };
}

/** The deployed function. */
export const handler = createQueueHandler('update-campaign-runs', build);
