import * as z from 'zod';
import { configQuestion } from '#shared/messages/questions.ts';
import { commandLine } from '#shared/text/command-line.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { readStage } from '#operator/status/stage-status.ts';
import type { NowAnswer, StageRow } from '../api.ts';
import { deadLetters, firstThings, lateRuns, lowSupplies } from '../first-things.ts';
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
  const [{ status, supplies }, config] = await Promise.all([
    readStage(deps, async (read) => partOf('supplies', read, how)),
    partOf('timezone', async () => askStage(configQuestion, zone, deps), how),
  ]);
  return { ...status, asOf, timezone: config?.timezone, supplies, problems };
}

/** A stage as a line of the table of stages. */
export async function readStageRow(stage: ConsoleStage, readNowOf: () => Promise<NowAnswer>): Promise<StageRow> {
  const { name, words } = stage;
  const target = targetOfStage(stage);
  const known = { name, stage: target?.stage ?? name, kind: target?.kind ?? 'local', asOf: machineTime() } as const;
  try {
    const now = await readNowOf();
    const [, , , region, account] = (await stage.deps().stage.outputs()).AnswerQuestionsFunctionArn.split(':');
    return { ...known, region, account, ...rowOf(now), worst: worstOf(now, words), asOf: now.asOf };
  } catch (error) {
    return { ...known, region: target?.region, problem: problemOf(error, target) };
  }
}

function rowOf(now: NowAnswer): Partial<StageRow> {
  const low = lowSupplies(now);
  return {
    now: now.now,
    timezone: now.timezone,
    version: now.version,
    mode: now.mode,
    frozen: isFrozen(now),
    gate: now.gate.state,
    inFlight: now.inFlight.length,
    overdue: lateRuns(now).length,
    inDoubt: now.inFlight.filter(({ state }) => state === 'in doubt').length,
    parked: now.parked.length,
    deadLetters: deadLetters(now),
    idsLow: now.supplies === undefined ? undefined : low.runs.length + low.campaigns.length,
    nextStart: now.schedules
      .filter(({ isEnabled, action }) => isEnabled && action === 'start')
      .flatMap(({ next }) => (next === undefined ? [] : [next]))
      .toSorted()[0],
  };
}

function isFrozen({ switches }: NowAnswer): boolean {
  return switches.some(({ scope }) => scope === 'stage');
}

/** The first of what a person should do, with the command for this stage. */
function worstOf(now: NowAnswer, words: readonly string[]): StageRow['worst'] {
  const [first] = firstThings(now);
  return first && { says: first.says, command: commandLine(['autopilot', ...first.words, ...words]) };
}
