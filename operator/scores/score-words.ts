/** What a score is to those before it, in words. Pure. */

/** @example toMedianWords(-26) // '-26 to the runs before' */
export function toMedianWords(toMedian: number | undefined): string {
  if (toMedian === undefined) return '';
  return toMedian === 0 ? 'as the runs before' : `${toMedian > 0 ? '+' : ''}${toMedian} to the runs before`;
}
