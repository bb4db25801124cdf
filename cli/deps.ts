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
  /**
   * What a person types or pastes without its being shown, or all of standard input where that is no terminal.
   * @throws UsageError where they press Ctrl-C, or where there is too much of it
   */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Tells a waiting person something, beside the result. */
  readonly progress: (line: string) => void;
}
