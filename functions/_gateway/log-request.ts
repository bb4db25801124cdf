import type { RequestInfo } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Log } from '../_handler/log.ts';

/**
 * What a gateway client tells of each request, as a line for whoever looks for a fault. The id that the gateway got is `xRequestId` there, as in
 * every other line: `requestId` is the invocation's.
 * @returns `undefined` where nobody reads it
 */
export function requestLog(log: Pick<Log, 'debug' | 'isDebugging'>): ((info: RequestInfo) => void) | undefined {
  if (log.isDebugging === false) return undefined;
  return ({ requestId: xRequestId, ...info }) =>
    log.debug(logEvents.gatewayRequest, `${info.method} ${info.pathTemplate}`, { ...info, xRequestId });
}
