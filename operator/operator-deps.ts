import type { StageAccess } from './stage/stage-access.ts';
import type { LocalClock } from './stage/local-clock.ts';
import type { Target } from './stage/target.ts';

/** What the work for an operator may touch: a stage, a clock and a person who waits, all of it replaceable in a test. */
export interface OperatorDeps {
  readonly target: Target;
  readonly stage: StageAccess;
  /** The clock of the local run; absent against AWS. */
  readonly localClock?: LocalClock;
  /** The stage's time: on one machine the clock can be moved, and whoever stamps a command must stamp it by that one. */
  readonly now: () => Promise<Date>;
  /**
   * Told when the person presses Ctrl-C. Whoever asks takes it on: the first Ctrl-C ends the work in hand in good order, the second ends the
   * process. Nobody asked: the first does.
   */
  readonly interruption: () => AbortSignal;
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
