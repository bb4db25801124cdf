/**
 * Random choices that the seed decides: the same seed plans the same events, faults, deliveries and
 * moments of death.
 */
import { createHash } from 'node:crypto';

/** A source of choices. */
export interface SeededRandom {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number from 0 to `below - 1`. */
  readonly whole: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  /** Picks a value by its weight. */
  readonly weighted: <Value>(choices: readonly (readonly [weight: number, value: Value])[]) => Value;
}

/**
 * A stream of its own for each purpose: one more event does not change the faults. Mulberry32 over
 * a digest of seed and purpose.
 */
export function seededRandom(seed: string, purpose: string): SeededRandom {
  let state = createHash('sha256').update(`${seed}\u0000${purpose}`).digest().readUInt32LE(0);

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const whole = (below: number) => Math.floor(next() * below);
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    weighted(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of choices) {
        left -= weight;
        if (left < 0) return value;
      }
      throw new RangeError('there is nothing to choose from');
    },
  };
}

/** One of several. */
export function oneOf<Value>(random: SeededRandom, values: readonly Value[]): Value {
  const value = values[random.whole(values.length)];
  if (value === undefined) throw new RangeError('there is nothing to choose from');
  return value;
}
