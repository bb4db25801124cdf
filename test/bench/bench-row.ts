import type { Spread } from './measure/statistics.ts';

/** What one figure of a row came to, and what it is held against. */
export interface Figure {
  /** What of the row this is: `batch of 10`. Empty if the row has one figure only. */
  readonly name: string;
  readonly value: number;
  /** `×` for a ratio to the peer, else `KB`, `s`, `$`, `writes`, … */
  readonly unit: string;
  /** The most that is accepted. @default none: the figure is printed only */
  readonly bar?: number;
  /** What honest engineering may reach. @default none */
  readonly stretch?: number;
  /** Where the number comes from, for a person: `47.1 µs against 38.9 µs, 9 rounds`. */
  readonly detail: string;
}

/** What a row measured. */
export interface RowResult {
  readonly figures: readonly Figure[];
  /**
   * Printed and written into the document, never gated: peers that are not the yardstick, what was
   * left out.
   */
  readonly notes: readonly string[];
  /** Printed in the terminal only: wall times, and what another page says. @default none */
  readonly asides?: readonly string[];
  /**
   * The peer over itself, for rows that noise can move: if it is too wide, a figure that is near
   * its bar is not judged.
   */
  readonly sameTwice?: Spread;
}

/** What a run of the bench asks of each row. */
export interface RowOptions {
  /**
   * Everything that takes long is left out or made shorter; rows that noise can move do not run at
   * all then.
   */
  readonly isQuick: boolean;
  /**
   * How often each contender works in rows that noise can move; at least 7, so that a middle half
   * says something.
   */
  readonly rounds: number;
  /** Draws the order of peers; the same seed, the same order. */
  readonly random: () => number;
}

/** One row of docs/reference/performance.md. */
export interface BenchRow {
  /** For `--only`: `client-layer`. */
  readonly id: string;
  /** As in the table: `client layer, CPU per call`. */
  readonly title: string;
  /** `undici Pool.request`, or what limits it. */
  readonly peer: string;
  /**
   * Rows of bytes, counts and virtual time come out the same on every machine: the quick form runs
   * and gates these only.
   */
  readonly isNoiseFree: boolean;
  /** @throws Error when it could not measure at all; a figure over its bar is no error */
  readonly measure: (options: RowOptions) => Promise<RowResult>;
}
