import * as z from 'zod';
import { configQuestion, suppliesAnswer, suppliesQuestion } from '#shared/messages/questions.ts';
import { roughly, commandLine } from '#operator/readable.ts';
import { askStage } from '#operator/stage/ask-stage.ts';
import { readStageStatus } from '#operator/status/stage-status.ts';
import type { NowAnswer, StageRow } from '../api.ts';
import type { ConsoleStage } from './console-stage.ts';
import { partOf, type Problem, problemOf, targetOf } from './problems.ts';

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
  const [status, config, supplies] = await Promise.all([
    readStageStatus(deps),
    partOf('timezone', async () => askStage(configQuestion, zone, deps), how),
    partOf('supplies', async () => askStage(suppliesQuestion, suppliesAnswer, deps), how),
  ]);
  return { ...status, asOf, timezone: config?.timezone, supplies, problems };
}

/** A stage as a line of the table of stages. */
export async function readStageRow(stage: ConsoleStage, readNowOf: () => Promise<NowAnswer>): Promise<StageRow> {
  const { name, words } = stage;
  const target = targetOf(stage);
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
  return {
    version: now.version,
    mode: now.mode,
    frozen: isFrozen(now),
    gate: now.gate.state,
    inFlight: now.inFlight.length,
    overdue: overdueOf(now),
    parked: now.parked.length,
    deadLetters: deadLettersOf(now),
    idsLow: now.supplies === undefined ? undefined : lowOf(now).length,
    nextStart: now.schedules
      .filter(({ isEnabled }) => isEnabled)
      .flatMap(({ next }) => (next === undefined ? [] : [next]))
      .toSorted()[0],
  };
}

function isFrozen({ switches }: NowAnswer): boolean {
  return switches.some(({ scope }) => scope === 'stage');
}

function overdueOf({ inFlight, now }: NowAnswer): number {
  return inFlight.filter(({ stopDueAt }) => stopDueAt !== undefined && stopDueAt <= now).length;
}

function deadLettersOf({ queues }: NowAnswer): number {
  return queues.filter(({ isDeadLetter }) => isDeadLetter).reduce((sum, { waiting }) => sum + waiting, 0);
}

/** Runs that use up ids and have few, and campaigns that have used up the starts of the month. */
function lowOf({ supplies }: NowAnswer): readonly string[] {
  const runs = (supplies?.bindings ?? []).filter(({ isLow }) => isLow).map(({ run }) => run);
  const campaigns = (supplies?.budgets ?? []).filter(({ used, startsPerMonth }) => used >= startsPerMonth);
  return [...runs, ...campaigns.map(({ campaign }) => campaign)];
}

/** What a person should do first: the gravest of what needs one. Pure. */
export function worstOf(now: NowAnswer, words: readonly string[]): StageRow['worst'] {
  const line = (...command: readonly string[]) => commandLine(['autopilot', ...command, ...words]);
  const overdue = overdueOf(now);
  const deadLetters = deadLettersOf(now);
  const low = lowOf(now);
  if (overdue > 0) return { says: `${overdue} due to be stopped, and not stopped yet`, command: line('status') };
  if (now.gate.state === 'closed')
    return { says: `the gate is closed: ${now.gate.reason ?? ''}`, command: line('doctor') };
  if (deadLetters > 0) return { says: `${deadLetters} in a dead-letter queue`, command: line('doctor') };
  if (now.parked.length > 0)
    return { says: `${now.parked.length} parked, waiting for a decision`, command: line('parked', 'list') };
  if (low.length > 0) return { says: `nearly used up: ${low.join(', ')}`, command: line('doctor') };
  const freeze = now.switches.find(({ scope }) => scope === 'stage');
  if (freeze === undefined) return undefined;
  const age = roughly(Date.parse(now.now) - Date.parse(freeze.at));
  return { says: `frozen by ${freeze.by} ${age} ago: ${freeze.reason}`, command: line('thaw') };
}
