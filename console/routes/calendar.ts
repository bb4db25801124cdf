import { type HistoryEntry, historyPage } from '#operator/history/history-entry.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { plannedBlackouts } from '#operator/plan/schedule-occurrences.ts';
import { readStagePlan, type StagePlan } from '#operator/plan/stage-plan.ts';
import { readStageCalendar } from '#operator/stage/stage-config.ts';
import { kept } from '#operator/stage/stage-clients.ts';
import { readSwitchBands, type SwitchBand } from '#operator/switches/switches.ts';
import type { CalendarAnswer, Problem } from '../api.ts';
import { answer, type ConsoleApp, depsOf, type ServedStage } from '../server/served-stage.ts';
import { partOf } from '../server/problems.ts';
import { machineTime } from '../server/read-now.ts';
import { instantOf } from './history.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

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
    return answer(await readCalendar({ from, now, until }, depsOf(c), planKept(stage, plans)));
  });
}

/** The days of a calendar, and the stage's time. */
export interface Days {
  readonly from: Date;
  readonly now: Date;
  readonly until: Date;
}

/** Reads what would be. */
export type ReadPlan = (days: Days, bands: readonly SwitchBand[]) => Promise<StagePlan>;

const noPlan: Pick<StagePlan, 'commands' | 'clockChanges' | 'unread' | 'cutAt'> = {
  commands: [],
  clockChanges: [],
  unread: [],
};

/** Reads what was and what will be in a period, and what of it could not be read. */
export async function readCalendar(
  days: Days,
  deps: OperatorDeps,
  readPlan: ReadPlan = async ({ from, now, until }) => readStagePlan({ from: from > now ? from : now, until }, deps),
): Promise<CalendarAnswer> {
  const { from, now, until } = days;
  const asOf = machineTime();
  const problems: Problem[] = [];
  const how = { target: deps.target, problems };
  const bands = await readSwitchBands(await deps.stage.ledger(), { since: from, before: until }, now);
  const [past, begunBefore, config, plan] = await Promise.all([
    historyPage({ since: from, before: until }, mostPast, deps),
    startsBefore(from, deps),
    partOf('blackouts', async () => readStageCalendar(deps), how),
    until > now ? partOf('plan', async () => readPlan(days, bands), how) : undefined,
  ]);
  const { commands, clockChanges, unread, cutAt } = plan ?? noPlan;
  return {
    now: now.toISOString(),
    asOf,
    timezone: config?.timezone ?? 'UTC',
    past: [...past.entries, ...begunBefore],
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

/** A run that began before the period and goes on in it is looked for so far back, and among so many starts. */
const longestRunMs = 7 * dayMs;
const mostBefore = 200;

/** The starts before a period whose runs reach into it: without them such a run has a stop and no beginning. */
async function startsBefore(from: Date, deps: OperatorDeps): Promise<readonly HistoryEntry[]> {
  const { entries } = await historyPage(
    {
      since: new Date(from.getTime() - longestRunMs),
      before: from,
      matches: ({ action }) => action === 'start',
      mostRead: mostPast,
    },
    mostBefore,
    deps,
  );
  return entries.filter(({ run }) => {
    const { endedAt, stopsAt, state } = run ?? {};
    // One without an end goes on, if its stop was not due long ago.
    return state !== 'not-started' && !(Date.parse(endedAt ?? stopsAt ?? '') <= from.getTime());
  });
}

/** By their question. */
type Plans = Map<string, () => Promise<StagePlan>>;

/** Questions whose answers are kept: a page that scrolls asks for few. */
const mostPlans = 20;

/** A plan for all tabs. Days that are asked for in the same hour, under the same freezes and pauses, are the same question. */
export function planKept(stage: Pick<ServedStage, 'name' | 'deps'>, plans: Plans): ReadPlan {
  return async ({ from, now, until }, bands) => {
    const key = JSON.stringify([stage.name, from, until, Math.floor(now.getTime() / hourMs), bands]);
    const known = plans.get(key);
    if (known !== undefined) return known();
    if (plans.size >= mostPlans) plans.clear();
    const begin = from > now ? from : now;
    // No signal goes with it: a tab that closes must not end what all tabs share.
    const read = kept(async () => readStagePlan({ from: begin, until }, stage.deps()), {
      forMs: planForMs,
      elapsedMs: stage.deps().elapsedMs,
    });
    plans.set(key, read);
    return read();
  };
}
