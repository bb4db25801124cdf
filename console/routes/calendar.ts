import * as z from 'zod';
import { configQuestion } from '#shared/messages/config-question.ts';
import { historyPage } from '#operator/history/history-entry.ts';
import { readStagePlan, type StagePlan } from '#operator/plan/stage-plan.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { kept } from '#operator/stage/stage-access.ts';
import { listSwitches } from '#shared/ledger/switches.ts';
import { calendarAnswer } from '../api.ts';
import { answer, type ConsoleApp, type ServedStage } from '../server/app.ts';
import { partOf, type Problem } from '../server/problems.ts';
import { machineTime } from '../server/read-now.ts';
import { instantOf } from './queries.ts';

const dayMs = 86_400_000;

/** The page shows no more of the past at once. */
const mostPast = 2_000;

/** A plan is one invocation: tabs that look at the same days share it for this time. */
const planForMs = 60_000;

/** What was and what will be, on one axis. */
export function addPlanRoutes(app: ConsoleApp): void {
  const plans = new Map<string, () => Promise<StagePlan>>();
  app.get('/api/stages/:stage/calendar', async (c) => {
    const { stage } = c.var;
    const { deps } = stage;
    const asOf = machineTime();
    const now = await deps.now();
    const from = instantOf(c.req.query('from'), 'from') ?? new Date(now.getTime() - 14 * dayMs);
    const until = instantOf(c.req.query('until'), 'until') ?? new Date(now.getTime() + 14 * dayMs);
    const problems: Problem[] = [];
    const how = { target: deps.target, problems };
    const [past, config, switches, plan] = await Promise.all([
      historyPage({ since: from, before: until }, mostPast, deps),
      partOf('blackouts', async () => askStage(configQuestion, zone, deps), how),
      listSwitches(await deps.stage.ledger(), now),
      until > now ? partOf('plan', async () => planOf(stage, { from, now, until }, plans), how) : undefined,
    ]);
    return answer(calendarAnswer, {
      now: now.toISOString(),
      asOf,
      timezone: config?.timezone ?? 'UTC',
      past: past.entries,
      pastCutAt: past.isMore ? past.entries.at(-1)?.at : undefined,
      planned: plan?.commands ?? [],
      cutAt: plan?.cutAt,
      blackouts: [],
      bands: switches.map(({ scope, name, by, reason, at, until: ends }) => ({
        scope,
        name,
        by,
        reason,
        from: at,
        until: ends,
      })),
      clockChanges: plan?.clockChanges ?? [],
      unread: plan?.unread ?? [],
      problems,
    });
  });
}

const zone = z.object({ timezone: z.string() });

/** Days that begin with the same hour are the same question. */
async function planOf(
  stage: ServedStage,
  { from, now, until }: { readonly from: Date; readonly now: Date; readonly until: Date },
  plans: Map<string, () => Promise<StagePlan>>,
): Promise<StagePlan> {
  const key = JSON.stringify([stage.name, from, until]);
  const known = plans.get(key);
  if (known !== undefined) return known();
  if (plans.size >= mostPlans) plans.clear();
  const begin = from > now ? from : now;
  const read = kept(async () => readStagePlan({ from: begin, until }, stage.deps), {
    forMs: planForMs,
    elapsedMs: stage.deps.elapsedMs,
  });
  plans.set(key, read);
  return read();
}

/** Questions whose answers are kept: a page that scrolls asks for few. */
const mostPlans = 20;
