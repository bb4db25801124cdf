/**
 * Trigger: one EventBridge schedule for each watch of `scannerPackages` in automation.config.ts.
 * Input: `{"watch": "NAME"}`.
 * Effects: GET /scanner-packages (all pages). Writes the watch's rows in the ledger, in one
 *   transaction. Once a change set has settled, sends starts to the commands queue under
 *   `change:WATCH:CHANGE-SET:RUN`. Publishes ScannerPackagesChanged on the outcome bus under the
 *   change set's id.
 * On failure: the error escapes. A walk that an error, the gate or the function's time cuts off
 *   concludes nothing: the next tick begins at the first page. What a change set asks for is in the
 *   ledger until it is sent; the next tick sends it again, under the same ids.
 * Alarms, each a heading of docs/runbook.md: PollScannerPackagesFailures,
 *   PollScannerPackagesNotRunning.
 */
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { lazily } from '#shared/aws/client-settings.ts';
import { createQueue, createSqsClient } from '#shared/aws/queue.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createGatewayAccess } from '../_gateway/gateway-access.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { requestLog } from '../_gateway/gate.ts';
import { createPacer } from '../_gateway/rate-limiter.ts';
import { commandsOfMode, openLedger } from '../_handler/stage-ledger.ts';
import { watchOf } from '../_watch/watched-row.ts';
import { listingOf } from './walk-packages.ts';
import { pollWatch } from './poll-watch.ts';

function build(runtime: Runtime<'poll-scanner-packages'>): ScheduledFunction {
  const { env, config, log } = runtime;
  const { ledger } = openLedger(env, config.mode);
  const { token, gate, probe } = createGatewayAccess(runtime, ledger);
  const gateway = createGatewayClient({
    ...config.gateway,
    tokenProvider: token,
    pace: createPacer(config.requestsPerSecond),
    onRequest: requestLog(log),
  });
  const ports = {
    ledger,
    listing: listingOf(gateway),
    gate,
    commands: commandsOfMode(config.mode, createQueue(lazily(createSqsClient), env.COMMANDS_QUEUE_URL)),
    bus: createOutcomeBus(lazily(createEventBridgeClient), env.EVENT_BUS_NAME),
  };

  return {
    ledger,
    smoke: { ledger: () => ledger.read(ledgerKeys.gate()), token: () => token.get(), gateway: probe },
    run: (event, tick) => pollWatch(watchOf(event, config.packageWatches), { ...tick, ...ports }),
  };
}

/** Looks at one listing of scanner packages and starts what its changes ask for. */
export const handler = createScheduledHandler('poll-scanner-packages', build);
