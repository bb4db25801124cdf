/** The router: the six operations of the interface, the control surface, and an answer to everything else. */
import { Hono } from 'hono';
import type { Context, Handler, MiddlewareHandler } from 'hono';
import { controlRoutes } from './control/control-routes.ts';
import { strikeFaults } from './faults/strike.ts';
import { authenticate } from './http/bearer.ts';
import { hasManyHosts } from './http/bounded-server.ts';
import type { GatewayEnvironment } from './http/environment.ts';
import { HttpProblem, methodNotAllowed, notFound } from './http/problem.ts';
import { identify, logRequests } from './http/request-log.ts';
import { operationNames, operations } from './operations.ts';
import type { OperationName } from './operations.ts';
import { createDataset } from './operations/create-dataset.ts';
import { getCampaign } from './operations/get-campaign.ts';
import { getProject } from './operations/get-project.ts';
import { listEndpoints } from './operations/list-endpoints.ts';
import { listScannerPackages } from './operations/list-scanner-packages.ts';
import { updateCampaignRun } from './operations/update-campaign-run.ts';
import type { GatewayParts } from './parts.ts';

/** Builds the router. Order matters: the control surface is neither logged, nor struck by faults, nor asked for a token. */
export function createApp(parts: GatewayParts, isControlServed: boolean): Hono<GatewayEnvironment> {
  const app = new Hono<GatewayEnvironment>();
  app.onError((error) => answerTo(error, parts.onDefect));
  app.notFound(() => notFound('path').toResponse());
  app.use(oneHost, identify);
  if (isControlServed) app.route('/_control', controlRoutes(parts));
  app.use('/_control/*', () => Promise.resolve(notFound('path').toResponse()));
  app.use(logRequests(parts), strikeFaults(parts));
  app.use('/backend/v1/*', async (context, next) => {
    authenticate(context.req.header('authorization'), parts.tokens);
    await next();
  });

  const handlers = handlersOf(parts);
  for (const name of operationNames) {
    const { method, path } = operations[name];
    app.on(method, path, handlers[name]);
    app.all(path, () => {
      throw methodNotAllowed(method === 'GET' ? ['GET', 'HEAD'] : [method]);
    });
  }
  return app;
}

const oneHost: MiddlewareHandler<GatewayEnvironment> = async (context, next) => {
  if (hasManyHosts(context.env.incoming)) throw new HttpProblem(400, 'the request names its host more than once');
  await next();
};

function handlersOf(parts: GatewayParts): Readonly<Record<OperationName, Handler<GatewayEnvironment>>> {
  const withParts =
    (operation: (context: Context<GatewayEnvironment>, handed: GatewayParts) => Response | Promise<Response>) =>
    (context: Context<GatewayEnvironment>) =>
      operation(context, parts);
  return {
    getProject: withParts(getProject),
    listEndpoints: withParts(listEndpoints),
    getCampaign: withParts(getCampaign),
    listScannerPackages: withParts(listScannerPackages),
    updateCampaignRun: updateCampaignRun(parts),
    createDataset: createDataset(parts),
  };
}

/** The only place where an error becomes an answer. A 500 is a defect of this gateway, so who runs it hears of it. */
export function answerTo(error: unknown, onDefect: GatewayParts['onDefect']): Response {
  if (error instanceof HttpProblem) return error.toResponse();
  onDefect(error);
  return new HttpProblem(500, 'the embedded gateway failed; its console says why').toResponse();
}
