import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { examineStage } from '#operator/doctor/examine-stage.ts';
import { scheduleStatuses } from '#operator/status/schedule-status.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { findAll } from '#shared/aws/schedules.ts';
import { configQuestion } from '#shared/messages/questions.ts';
import { doctorAnswer, nowAnswer, settingsAnswer, type SettingsAnswer, stagesAnswer } from '../api.ts';
import { answer, type AppParts, type ConsoleApp, depsOf, type LiveEvent, stageOf } from '../server/live.ts';
import { partOf, type Problem, RequestProblem } from '../server/problems.ts';
import { machineTime, readStageRow } from '../server/read-now.ts';

/** Streams at once: a browser opens six connections to one address. */
const maxStreams = 8;

/** How stages stand: all of them, one, one as it changes; its settings, and its doctor. */
export function addStageRoutes(
  app: ConsoleApp,
  { stages, onGone, idleMs }: Pick<AppParts, 'stages' | 'onGone' | 'idleMs'>,
): void {
  app.get('/api/stages', async () =>
    answer(stagesAnswer, {
      stages: await Promise.all(stages.map(async (stage) => readStageRow(stage, stage.live.read))),
    }),
  );
  app.get('/api/stages/:stage/now', async (c) => answer(nowAnswer, await c.var.stage.live.read()));
  app.get('/api/stages/:stage/doctor', async (c) => {
    const deps = depsOf(c);
    const asOf = machineTime();
    const now = (await deps.now()).toISOString();
    const examined = await examineStage(deps);
    return answer(doctorAnswer, { asOf, stage: deps.target.stage, now, examined });
  });
  app.get('/api/stages/:stage/settings', async (c) => {
    const asOf = machineTime();
    const deps = depsOf(c);
    const problems: Problem[] = [];
    const how = { target: deps.target, problems };
    const [config, now, schedules] = await Promise.all([
      askStage(configQuestion, shownConfig, deps),
      deps.now(),
      partOf('schedules', async () => findAll(await deps.stage.schedules()), how),
    ]);
    return answer(settingsAnswer, {
      asOf,
      timezone: config.timezone,
      config,
      schedules: schedules && scheduleStatuses(schedules, now),
      problems,
      table: settingsTable(config),
    });
  });
  addLiveRoute(app, { stages, onGone, idleMs });
}

function addLiveRoute(
  app: ConsoleApp,
  { stages, onGone, idleMs }: Pick<AppParts, 'stages' | 'onGone' | 'idleMs'>,
): void {
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
        const shown = event === 'now' ? nowAnswer.parse(data) : data;
        await stream.writeSSE({ event, data: JSON.stringify(shown) });
      };
      const leave = live.listen((event) => void send(event));
      // A comment keeps the connection, also if one or two of them come late.
      const stay = setInterval(() => void stream.write(': still here\n\n'), idleMs / 4);
      const unheard = onGone(() => void stream.writeSSE({ event: 'gone', data: '{}' }).then(() => ended.resolve()));
      stream.onAbort(() => ended.resolve());
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

/** The deployed configuration as the page shows it: what is configured, a line for each, with what it does. */

const run = z.object({ name: z.string(), campaign: z.string() }).loose();
const blackout = z
  .object({ name: z.string(), starts: z.enum(['skip', 'defer']), campaigns: z.array(z.string()).optional() })
  .loose();
const rule = z.object({ prefix: z.string(), check: z.string().optional(), fileId: z.string().optional() }).loose();

/** What the page shows of a configuration; other parts go along as they are. No secret is in it. */
export const shownConfig = z
  .object({
    mode: z.enum(['act', 'observe']).optional(),
    timezone: z.string().optional(),
    runs: z.record(z.string(), run).optional(),
    blackouts: z.array(blackout).optional(),
    datasetRules: z.array(rule).optional(),
  })
  .loose();

type Line = SettingsAnswer['table'][number];
type Setting = NonNullable<Line['settings']>[number];

/** In words, a line for each part of the configuration. Pure. */
export function settingsTable(config: z.infer<typeof shownConfig>): readonly Line[] {
  return [
    ...(config.mode === undefined ? [] : [modeLine(config.mode)]),
    ...Object.values(config.runs ?? {}).map(runLine),
    ...(config.blackouts ?? []).map(blackoutLine),
    ...(config.datasetRules ?? []).map(ruleLine),
  ];
}

function modeLine(mode: 'act' | 'observe'): Line {
  const does =
    mode === 'act'
      ? 'starts, stops and registers at the gateway'
      : 'reads and judges everything, and sends nothing that changes the gateway';
  return { part: 'mode', name: mode, does };
}

function runLine({ name, campaign, ...settings }: z.infer<typeof run>): Line {
  return { part: 'run', name, does: `belongs to the campaign ${campaign}`, settings: settingsOf(settings) };
}

function blackoutLine({ name, starts, campaigns, ...settings }: z.infer<typeof blackout>): Line {
  const whose = campaigns === undefined ? 'every start' : `starts of ${campaigns.join(', ')}`;
  const does = starts === 'skip' ? `skips ${whose}` : `puts ${whose} off until its end`;
  return { part: 'blackout', name, does, settings: settingsOf(settings) };
}

function ruleLine({ prefix, ...settings }: z.infer<typeof rule>): Line {
  return {
    part: 'upload rule',
    name: prefix,
    does: 'registers files under it as datasets',
    settings: settingsOf(settings),
  };
}

/** Each setting by its path, `guards.overlap` for one: a list of more than three gives its first two. */
function settingsOf(value: unknown, path = ''): readonly Setting[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    const [first = '', second = ''] = value;
    const isLong = value.length > 3;
    return [{ name: path, value: isLong ? `${first}, ${second} and ${value.length - 2} more` : value.join(', ') }];
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, each]) => settingsOf(each, path === '' ? key : `${path}.${key}`));
  }
  return [{ name: path, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}
