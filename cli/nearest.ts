/** The word of a list that was probably meant; undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  const isNear = best.distance <= Math.max(1, Math.floor(best.candidate.length / 3));
  const isBeginning = typed.length >= 2 && best.candidate.toLowerCase().startsWith(typed);
  if (isNear || isBeginning) return best.candidate;
  return known.find((candidate) => typed.length >= 2 && candidate.toLowerCase().startsWith(typed));
}

/** `: did you mean "start"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `: did you mean "${meant}"?`;
}

/** Insertions, deletions, changes and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
