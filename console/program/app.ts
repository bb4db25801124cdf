import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { SessionAnswer } from '../api.ts';
import { projectFolder } from '#shared/places.ts';
import { addPlanRoutes } from '../routes/calendar.ts';
import { addHistoryRoutes } from '../routes/history.ts';
import { addParkedRoutes } from '../routes/parked.ts';
import { addStageRoutes } from '../routes/stages.ts';
import { addUploadRoutes } from '../routes/uploads.ts';
import { addWriteRoutes } from '../routes/writes.ts';
import {
  answer,
  type AppParts,
  type ConsoleApp,
  type ConsoleEnv,
  type ServedStage,
  stageOf,
} from '../server/served-stage.ts';
import { problemOf, RequestProblem, statusOf, targetOfStage } from '../server/problems.ts';
import { machineTime } from '../server/read-now.ts';

/** Every route. Without `allow` those that change something do not exist. */
export function createConsoleApp(parts: AppParts): ConsoleApp {
  const app: ConsoleApp = new Hono<ConsoleEnv>();
  addPage(app, parts);
  app.post('/api/session', (c) => {
    const session = parts.sessions.open(c.req.header('x-console-token') ?? '');
    if (session === undefined) throw new RequestProblem(401, 'NO_TOKEN', usedUp);
    return answer<SessionAnswer>({
      session,
      stages: parts.stages.map(({ name, words }) => ({ name, words })),
      project: projectFolder,
      folder: process.cwd(),
      allow: [...parts.allow],
      operator: parts.operator,
    });
  });
  app.use('/api/*', async (c, next) => {
    const session = parts.sessions.find(c.req.header('authorization'));
    if (session === undefined) throw new RequestProblem(401, 'NO_SESSION', noSession);
    c.set('session', session);
    await next();
  });
  app.use('/api/stages/:stage/*', async (c, next) => {
    c.set('stage', stageOf(parts.stages, c.req.param('stage')));
    c.set('asOf', machineTime());
    await next();
  });
  addStageRoutes(app, parts);
  addPlanRoutes(app);
  addHistoryRoutes(app);
  addUploadRoutes(app);
  addParkedRoutes(app, parts);
  addWriteRoutes(app, parts.allow);
  app.notFound(() => problemResponse(404, { code: 'NOT_FOUND', message: 'there is no such page or answer' }));
  app.onError((error, c) => {
    if (error instanceof RequestProblem) return problemResponse(error.status, error.problem);
    const stage: ServedStage | undefined = c.get('stage');
    const found = problemOf(error, stage && targetOfStage(stage));
    return problemResponse(statusOf(found), found);
  });
  return app;
}

const usedUp =
  'this address was used, which ends the session that it opened, or is older than 5 minutes: press Enter where the console runs, it prints another';
const noSession = 'this tab has no session, or the console was started again: open the address that it prints';

function addPage(app: ConsoleApp, { assets }: AppParts): void {
  const files = {
    '/': ['text/html; charset=utf-8', 'html'],
    '/app.js': ['text/javascript; charset=utf-8', 'script'],
    '/app.css': ['text/css; charset=utf-8', 'style'],
  } as const;
  for (const [path, [type, part]] of Object.entries(files))
    app.get(path, async (c) => c.body((await assets()).page[part], 200, { 'content-type': type }));
}

/** The body of a refused request may not have been read, so its connection is not used again. */
function problemResponse(status: ContentfulStatusCode, problem: RequestProblem['problem']): Response {
  return Response.json({ problem }, { status, headers: { connection: 'close' } });
}
