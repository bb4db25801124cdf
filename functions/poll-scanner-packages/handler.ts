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
import { createGatewayAccess, createPacedGateway } from '../_gateway/gateway-access.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { watchOf } from '../_watch/watched-row.ts';
import { pollWatch } from './poll-watch.ts';

function build(runtime: Runtime<'poll-scanner-packages'>): ScheduledFunction {
  const { ports, token, smoke } = createGatewayAccess(runtime);
  const gateway = createPacedGateway(runtime, token);
  return {
    ledger: ports.ledger,
    smoke,
    run: (event, tick) => pollWatch(watchOf(event, runtime.config.packageWatches), { ...tick, ...ports, gateway }),
  };
}

/** Looks at one listing of scanner packages and starts what its changes ask for. */
export const handler = createScheduledHandler('poll-scanner-packages', build);
