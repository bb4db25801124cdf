import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { examineStage } from '#operator/doctor/examine-stage.ts';
import { scheduleStatuses } from '#operator/status/schedule-status.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { findAll } from '#shared/aws/schedules.ts';
import { configQuestion } from '#shared/messages/questions.ts';
import type { DoctorAnswer, Problem, SettingsAnswer, StagesAnswer } from '../api.ts';
import { answer, type AppParts, type ConsoleApp, depsOf, type LiveEvent, stageOf } from '../server/served-stage.ts';
import { partOf, RequestProblem } from '../server/problems.ts';
import { readStageRow } from '../server/read-now.ts';
import { type SettingsConfig, settingsTable } from './settings-words.ts';

/** Streams at once: a browser opens six connections to one address. */
const maxStreams = 8;

/** How stages stand: all of them, one, one as it changes; its settings, and its doctor. */
export function addStageRoutes(app: ConsoleApp, parts: AppParts): void {
  const { stages } = parts;
  app.get('/api/stages', async () =>
    answer<StagesAnswer>({
      stages: await Promise.all(stages.map(async (stage) => readStageRow(stage, stage.live.read))),
    }),
  );
  app.get('/api/stages/:stage/now', async (c) => answer(await c.var.stage.live.read()));
  app.get('/api/stages/:stage/doctor', async (c) => {
    const deps = depsOf(c);
    return answer<DoctorAnswer>({ asOf: c.var.asOf, examined: await examineStage(deps) });
  });
  app.get('/api/stages/:stage/settings', async (c) => {
    const deps = depsOf(c);
    const problems: Problem[] = [];
    const how = { target: deps.target, problems };
    const [config, now, schedules] = await Promise.all([
      askStage(configQuestion, z.custom<SettingsConfig>(), deps),
      deps.now(),
      partOf('schedules', async () => findAll(await deps.stage.schedules()), how),
    ]);
    return answer<SettingsAnswer>({
      asOf: c.var.asOf,
      timezone: config.timezone,
      config,
      schedules: schedules && scheduleStatuses(schedules, now),
      table: (await partOf('words', async () => settingsTable(config), how)) ?? [],
      problems,
    });
  });
  addLiveRoute(app, parts);
}

function addLiveRoute(app: ConsoleApp, { stages, onGone, idleMs }: AppParts): void {
  let streams = 0;
  app.get('/api/live', (c) => {
    const { live } = stageOf(stages, c.req.query('stage'));
    if (streams >= maxStreams) {
      throw new RequestProblem(429, 'TOO_MANY_STREAMS', `${maxStreams} tabs follow a stage already: close one`);
    }
    streams += 1;
    const response = streamSSE(c, async (stream) => {
      const ended = Promise.withResolvers<void>();
      const send = async ({ event, data }: LiveEvent): Promise<void> => {
        await stream.writeSSE({ event, data: JSON.stringify(data) });
      };
      const leave = live.listen((event) => void send(event));
      // A comment keeps the connection, also if one or two of them come late.
      const stay = setInterval(() => void stream.write(': still here\n\n'), idleMs / 4);
      const unheard = onGone(() => void stream.writeSSE({ event: 'gone', data: '{}' }).then(() => ended.resolve()));
      stream.onAbort(() => ended.resolve());
      c.var.session.ended.addEventListener('abort', () => ended.resolve());
      await ended.promise;
      streams -= 1;
      clearInterval(stay);
      leave();
      unheard();
    });
    // The library says no-cache, with which a browser may keep the ledger's texts on disk.
    response.headers.set('cache-control', 'no-store');
    return response;
  });
}
