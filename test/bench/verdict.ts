import type { Figure, RowResult } from './bench-row.ts';
import type { Spread } from './measure/statistics.ts';

/** What is said of a figure. */
export type Verdict = 'stretch' | 'held' | 'over' | 'not judged' | 'no bar';

/**
 * The same thing measured twice differs by chance alone. If the middle of it is off by more, or a
 * quarter of the rounds lie further away to one side, a ratio that is near its bar says nothing.
 */
export const noiseLimits = { median: 0.05, quartile: 0.15 } as const;

/** Judges one figure of a row. */
export function verdictOf({ value, bar, stretch }: Figure, { sameTwice }: Pick<RowResult, 'sameTwice'>): Verdict {
  if (bar === undefined) return 'no bar';
  if (isUndecided(value, bar, sameTwice)) return 'not judged';
  // A figure that is no number was not measured.
  if (!(value <= bar)) return 'over';
  const isWithin = stretch !== undefined && value <= stretch && !isUndecided(value, stretch, sameTwice);
  return isWithin ? 'stretch' : 'held';
}

/**
 * 0: every bar is held; 1: a figure is over its bar; 2: none is over, but the machine was too noisy
 * to judge them all.
 */
export function exitCodeOf(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  if (verdicts.includes('over')) return 1;
  return verdicts.includes('not judged') ? 2 : 0;
}

/**
 * Whether the machine is noisy, and the limit so near that its noise alone could carry the figure
 * across.
 */
function isUndecided(value: number, limit: number, sameTwice: Spread | undefined): boolean {
  if (sameTwice === undefined || isQuiet(sameTwice)) return false;
  const { low, median, high } = sameTwice;
  const noise = 1 + Math.max(offBy(low), offBy(median), offBy(high));
  return value / noise <= limit && limit < value * noise;
}

/**
 * Of several spreads of the same thing twice, the one that speaks worst of the machine. @throws
 * RangeError if there is none
 */
export function noisiest(spreads: readonly Spread[]): Spread {
  const [worst] = spreads.toSorted((one, other) => noiseOf(other) - noiseOf(one));
  if (worst === undefined) throw new RangeError('there is no spread');
  return worst;
}

function isQuiet(spread: Spread): boolean {
  return noiseOf(spread) <= 1;
}

/** In parts of what is allowed. */
function noiseOf({ low, median, high }: Spread): number {
  return Math.max(
    offBy(median) / noiseLimits.median,
    offBy(low) / noiseLimits.quartile,
    offBy(high) / noiseLimits.quartile,
  );
}

/** Half is as far off as double. */
function offBy(value: number): number {
  return Math.max(value, 1 / value) - 1;
}
