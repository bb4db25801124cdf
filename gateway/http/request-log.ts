/** Gives every request a line in the request log: the outermost middleware of the interface. */
import type { MiddlewareHandler } from 'hono';
import { operationOf } from '../model/resources.ts';
import type { LoggedRequest } from '../store/request-log.ts';
import type { GatewayEnvironment, GatewayParts } from './environment.ts';

/** Refusals are answers of their own: they have the request's id too. */
export const answerRequestId: MiddlewareHandler<GatewayEnvironment> = async (context, next) => {
  await next();
  context.header('x-request-id', context.get('requestId'));
};

/** Writes the line before the request is served, and completes it after. */
export function logRequests({ store, tokens, now, closing }: GatewayParts): MiddlewareHandler<GatewayEnvironment> {
  return async (context, next) => {
    const { method, path, url } = context.req;
    const arrived: LoggedRequest = {
      at: now().toISOString(),
      method,
      path,
      query: new URL(url).search.slice(1),
      operation: operationOf(method, path) ?? null,
      requestId: context.get('requestId'),
      status: null,
      fault: null,
      body: null,
    };
    const sequence = store.requests.begin(arrived, tokens.admits(context.req.header('authorization')));
    await next();
    if (closing.aborted) return;
    const struck = context.get('struck');
    store.requests.complete(sequence, {
      ...arrived,
      status: struck === undefined ? context.res.status : struck.status,
      fault: struck?.fault ?? null,
      body: context.get('bodyText') ?? null,
    });
  };
}
