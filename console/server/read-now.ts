import * as z from 'zod';
import { configQuestion } from '#shared/messages/questions.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { isLate } from '#operator/needs/run-needs.ts';
import { nextStart } from '#operator/needs/headline.ts';
import { readStageStatus } from '#operator/status/stage-status.ts';
import type { NowAnswer, StageRow } from '../api.ts';
import type { ConsoleStage } from './console-stage.ts';
import { partOf, type Problem, problemOf, targetOfStage } from './problems.ts';

/** The clock of this machine, also in a process whose `Date` is moved with the clock of a local run. */
export function machineNow(): Date {
  return new Date(performance.timeOrigin + performance.now());
}

/** The same as text. */
export function machineTime(): string {
  return machineNow().toISOString();
}

const zone = z.object({ timezone: z.string() });

/**
 * Reads a stage as `status` does, with its zone and what is used up. These two need `lambda:InvokeFunction`; without it they are absent, and why.
 * @throws Error if the stage itself cannot be read
 */
export async function readNow(stage: Pick<ConsoleStage, 'deps'>): Promise<NowAnswer> {
  const deps = stage.deps();
  const problems: Problem[] = [];
  const asOf = machineTime();
  const how = { target: deps.target, problems };
  const [status, config] = await Promise.all([
    readStageStatus(deps, async (read) => partOf('supplies', read, how)),
    partOf('timezone', async () => askStage(configQuestion, zone, deps), how),
  ]);
  const { ids, budgets } = status;
  const supplies = ids && budgets && { bindings: ids, budgets };
  return { ...status, asOf, timezone: config?.timezone, supplies, problems };
}

/** A stage as a line of the table of stages. */
export async function readStageRow(stage: ConsoleStage, readNowOf: () => Promise<NowAnswer>): Promise<StageRow> {
  const { name } = stage;
  const target = targetOfStage(stage);
  const known = { name, stage: target?.stage ?? name, kind: target?.kind ?? 'local', asOf: machineTime() } as const;
  try {
    const now = await readNowOf();
    const [, , , region, account] = (await stage.deps().stage.outputs()).AnswerQuestionsFunctionArn.split(':');
    return { ...known, region, account, ...rowOf(now), worst: now.needs[0], asOf: now.asOf };
  } catch (error) {
    return { ...known, region: target?.region, problem: problemOf(error, target) };
  }
}

function rowOf(now: NowAnswer): Partial<StageRow> {
  const { switches, queues, inFlight, supplies } = now;
  const at = new Date(now.now);
  return {
    now: now.now,
    timezone: now.timezone,
    version: now.version,
    mode: now.mode,
    frozen: switches.some(({ scope }) => scope === 'stage'),
    gate: now.gate.state,
    inFlight: inFlight.length,
    overdue: inFlight.filter((run) => isLate(run, at)).length,
    inDoubt: inFlight.filter(({ state }) => state === 'in doubt').length,
    parked: now.parked.length,
    deadLetters: queues.filter(({ isDeadLetter }) => isDeadLetter).reduce((sum, { waiting }) => sum + waiting, 0),
    idsLow:
      supplies &&
      supplies.bindings.filter(({ isLow }) => isLow).length +
        supplies.budgets.filter(({ used, startsPerMonth }) => used >= startsPerMonth).length,
    nextStart: nextStart(now)?.next,
  };
}
