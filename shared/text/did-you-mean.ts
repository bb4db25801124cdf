/** A longer word is no slip of the keyboard, and the table of its distances could fill the memory. */
const longestWord = 64;

/** The known word that a person most likely meant: it differs in few letters, or begins like it. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined;
  const wanted = word.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  // A third of the letters may be wrong: `nigthly` finds nightly, `weekly` finds nothing.
  if (best.distance <= Math.max(1, Math.floor(best.candidate.length / 3))) return best.candidate;
  if (wanted.length < 2) return undefined;
  return [best.candidate, ...known].find((candidate) => candidate.toLowerCase().startsWith(wanted));
}

/**
 * `; did you mean "x"?`, or nothing: the end of a sentence that names an unknown word.
 * @param joint - what stands between the sentence and the question
 */
export function didYouMean(word: string, known: readonly string[], joint: ';' | ':' = ';'): string {
  const closest = closestWord(word, known);
  return closest === undefined ? '' : `${joint} did you mean "${closest}"?`;
}

/** How many letters to insert, drop, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;

  for (let row = 1; row <= a.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity;
      rows[row]?.push(Math.min(replaced, at(row - 1, column) + 1, at(row, column - 1) + 1, swapped));
    }
  }
  return at(a.length, b.length);
}
