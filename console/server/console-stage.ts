import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorDeps } from '#operator/operator-deps.ts';
import { createLocalClock, stageTime } from '#operator/stage/local-clock.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { clientSettings, type Target } from '#operator/stage/target.ts';
import { pacedAccess } from './paced-access.ts';

/** A stage as the console knows it. */
export interface ConsoleStage {
  /** In every path; no two stages of a console have the same. */
  readonly name: string;
  /** The words that lead a command of the CLI to the same stage. */
  readonly words: readonly string[];
  /** For reading: what changes slowly is kept for a while. */
  readonly deps: OperatorDeps;
  /** For deciding: everything is read when it is asked for. */
  readonly fresh: OperatorDeps;
}

/** A stage that a person named. */
export interface WantedStage {
  readonly target: Target;
  readonly words: readonly string[];
}

/** What all stages of a console share. */
export interface StageMaking {
  /** Who works with them. */
  readonly operator: string;
  /** The time of this machine. In the process of a local run `Date` is moved: there it is the stage's time already. */
  readonly stageTimeOf?: (target: Target) => () => Promise<Date>;
}

/** Opens stages by their targets; the first request is sent when the page first asks. */
export function openStages(wanted: readonly WantedStage[], making: StageMaking): readonly ConsoleStage[] {
  const names = distinctNames(wanted.map(({ target }) => target));
  return wanted.map(({ target, words }, index) => {
    const fresh = depsOf(target, making);
    const deps = { ...fresh, stage: pacedAccess(fresh.stage, fresh) };
    return { name: names[index] ?? target.stage, words, fresh, deps };
  });
}

function depsOf(target: Target, { operator, stageTimeOf }: StageMaking): OperatorDeps {
  const localClock = target.kind === 'local' ? createLocalClock(target) : undefined;
  return {
    target,
    stage: createStageAccess(target.stage, clientSettings(target)),
    localClock,
    now: stageTimeOf?.(target) ?? stageTime(localClock, () => new Date()),
    // A request that is under way is finished: the person sees its end, or reads it in the ledger.
    interruption: () => new AbortController().signal,
    elapsedMs: () => performance.now(),
    wait: (milliseconds) => sleep(milliseconds),
    unique: () => randomUUID().slice(0, 8),
    operator: `${operator}, by the console`,
    progress: () => {},
  };
}

/** The deployed name, with its region and profile, or its folder, if two are alike; then with a number. Pure. */
export function distinctNames(targets: readonly Target[]): readonly string[] {
  const isTwice = (name: string, names: readonly string[]) => names.filter((other) => other === name).length > 1;
  const plain = targets.map(({ stage }) => stage);
  const longer = targets.map((target, index) => {
    const name = plain[index] ?? '';
    return isTwice(name, plain) ? `${name}@${placeOf(target)}` : name;
  });
  return longer.map((name, index) => {
    const before = longer.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name}-${before + 1}`;
  });
}

function placeOf(target: Target): string {
  if (target.kind === 'local') return new URL(target.endpoint).port;
  return [target.region, target.profile].filter((part) => part !== undefined).join(':') || 'default';
}
