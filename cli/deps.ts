import type { StageAccess } from './stage-access.ts';
import type { LocalClock } from './local-clock.ts';
import type { Target } from './target.ts';

/** What a command may touch beside its arguments: a stage and the person's own machine, all of it replaceable in a test. */
export interface CommandDeps {
  readonly target: Target;
  readonly stage: StageAccess;
  /** The clock of the local run; absent against AWS. */
  readonly localClock?: LocalClock;
  /** The stage's time: on one machine the clock can be moved, and whoever stamps a command must stamp it by that one. */
  readonly now: () => Promise<Date>;
  /** Real milliseconds from an arbitrary start, for waiting. */
  readonly elapsedMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A part of an id that nobody else has. */
  readonly unique: () => string;
  /** Who is at the keyboard. */
  readonly operator: string;
  /** Tells a waiting person something, beside the result. */
  readonly progress: (line: string) => void;
}
