import type * as z from 'zod';
import { historyPage } from '#operator/history/history-entry.ts';
import { plannedBlackouts } from '#operator/plan/occurrences.ts';
import { readStagePlan, type StagePlan } from '#operator/plan/stage-plan.ts';
import { readStageCalendar } from '#operator/stage/stage-config.ts';
import { kept } from '#operator/stage/stage-clients.ts';
import { readSwitchBands } from '#operator/switches/switches.ts';
import { calendarAnswer } from '../api.ts';
import { answer, type ConsoleApp, type ServedStage } from '../server/live.ts';
import { partOf, type Problem } from '../server/problems.ts';
import { machineTime } from '../server/read-now.ts';
import { instantOf } from './history.ts';

const dayMs = 86_400_000;

/** The page shows no more of the past at once. */
const mostPast = 2_000;

/** A plan is one invocation: tabs that look at the same days share it for this time. */
const planForMs = 60_000;

/** What was and what will be, on one axis. */
export function addPlanRoutes(app: ConsoleApp): void {
  const plans: Plans = new Map();
  app.get('/api/stages/:stage/calendar', async (c) => {
    const { stage } = c.var;
    const now = await stage.deps().now();
    const from = instantOf(c.req.query('from'), 'from') ?? new Date(now.getTime() - 14 * dayMs);
    const until = instantOf(c.req.query('until'), 'until') ?? new Date(now.getTime() + 14 * dayMs);
    return answer(calendarAnswer, await readCalendar(stage, { from, now, until }, plans));
  });
}

/** The days of a calendar, and the stage's time. */
export interface Days {
  readonly from: Date;
  readonly now: Date;
  readonly until: Date;
}

/** Reads what was and what will be in a period, and what of it could not be read. */
export async function readCalendar(
  stage: Pick<ServedStage, 'name' | 'deps'>,
  days: Days,
  plans: Plans,
): Promise<z.input<typeof calendarAnswer>> {
  const { from, now, until } = days;
  const deps = stage.deps();
  const asOf = machineTime();
  const problems: Problem[] = [];
  const how = { target: deps.target, problems };
  const [past, config, bands, plan] = await Promise.all([
    historyPage({ since: from, before: until }, mostPast, deps),
    partOf('blackouts', async () => readStageCalendar(deps), how),
    readSwitchBands(await deps.stage.ledger(), { since: from, before: until }, now),
    until > now ? partOf('plan', async () => planOf(stage, days, plans), how) : undefined,
  ]);
  const { commands = [], clockChanges = [], unread = [], cutAt }: Partial<StagePlan> = plan ?? {};
  return {
    now: now.toISOString(),
    asOf,
    timezone: config?.timezone ?? 'UTC',
    past: past.entries,
    pastCutAt: past.isMore ? past.entries.at(-1)?.at : undefined,
    planned: commands,
    cutAt,
    blackouts: plannedBlackouts(config?.blackouts ?? [], { from, until }),
    bands,
    clockChanges,
    unread,
    problems,
  };
}

/** By their question. */
export type Plans = Map<string, () => Promise<StagePlan>>;

/** Days that begin with the same hour are the same question. */
async function planOf(
  stage: Pick<ServedStage, 'name' | 'deps'>,
  { from, now, until }: Days,
  plans: Plans,
): Promise<StagePlan> {
  const key = JSON.stringify([stage.name, from, until]);
  const known = plans.get(key);
  if (known !== undefined) return known();
  if (plans.size >= mostPlans) plans.clear();
  const begin = from > now ? from : now;
  const read = kept(async () => readStagePlan({ from: begin, until }, stage.deps()), {
    forMs: planForMs,
    elapsedMs: stage.deps().elapsedMs,
  });
  plans.set(key, read);
  return read();
}

/** Questions whose answers are kept: a page that scrolls asks for few. */
const mostPlans = 20;
