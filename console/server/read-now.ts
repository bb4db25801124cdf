import * as z from 'zod';
import { configQuestion } from '#shared/messages/questions.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { nextStart, readStageStatus } from '#operator/needs/read-stage-status.ts';
import type { NowAnswer, Problem, StageRow } from '../api.ts';
import type { ConsoleStage } from './console-stage.ts';
import { partOf, problemOf, targetOfStage } from './problems.ts';

/** The clock of this machine, also in a process whose `Date` is moved with the clock of a local run. */
export function machineNow(): Date {
  return new Date(performance.timeOrigin + performance.now());
}

/** The same as text. */
export function machineTime(): string {
  return machineNow().toISOString();
}

const named = z.object({
  timezone: z.string(),
  runs: z.record(z.string(), z.object({ campaign: z.string() })).optional(),
});

/**
 * Reads a stage as `status` does, with its zone and its campaigns. Zone and campaigns need `lambda:InvokeFunction`: without it they
 * are absent, and why.
 * @throws Error if the stage itself cannot be read
 */
export async function readNow(stage: Pick<ConsoleStage, 'deps'>): Promise<NowAnswer> {
  const deps = stage.deps();
  const problems: Problem[] = [];
  const asOf = machineTime();
  const how = { target: deps.target, problems };
  const [status, config] = await Promise.all([
    readStageStatus(deps, async (read) => partOf('run ids', read, how)),
    partOf('timezone', async () => askStage(configQuestion, named, deps), how),
  ]);
  const campaigns = [...new Set(Object.values(config?.runs ?? {}).map(({ campaign }) => campaign))];
  return { ...status, asOf, timezone: config?.timezone, campaigns, problems };
}

/** A stage as a line of the table of stages. */
export async function readStageRow(stage: ConsoleStage, readNowOf: () => Promise<NowAnswer>): Promise<StageRow> {
  const { name } = stage;
  const target = targetOfStage(stage);
  const known = { name, stage: target?.stage ?? name, kind: target?.kind ?? 'local' } as const;
  try {
    const now = await readNowOf();
    const [, , , region, account] = (await stage.deps().stage.outputs()).AnswerQuestionsFunctionArn.split(':');
    const { mode, gate, inFlight, needs, parked, switches, version } = now;
    return {
      ...known,
      region,
      account,
      version,
      mode,
      frozen: switches.some(({ scope }) => scope === 'stage'),
      gate: gate.state,
      inFlight: inFlight.length,
      parked: parked.length,
      nextStart: nextStart(now)?.next,
      worst: needs[0],
      needs: needs.filter(({ causedBy }) => causedBy === undefined).length,
    };
  } catch (error) {
    return { ...known, region: target?.region, problem: problemOf(error, target) };
  }
}
