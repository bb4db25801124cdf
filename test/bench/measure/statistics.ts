/** What several rounds came to. */
export interface Spread {
  readonly median: number;
  /** The middle half of the rounds lies between these. */
  readonly low: number;
  readonly high: number;
}

/**
 * The spread of some values; quartiles between two values are interpolated. @throws RangeError if
 * there is no value, or one is no number
 */
export function spreadOf(values: readonly number[]): Spread {
  if (!values.every(Number.isFinite)) throw new RangeError(`not each of these was measured: ${values.join(', ')}`);
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

function quantile(sorted: readonly number[], part: number): number {
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('there is no value to take the middle of');
  return below + (above - below) * (position - Math.floor(position));
}

/** The values in an order that `random` draws. */
export function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
