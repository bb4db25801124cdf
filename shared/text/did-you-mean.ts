/** The known word that somebody most likely meant, or undefined where none is near. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // A third of the letters may be wrong: `nigthly` finds nightly, `weekly` finds nothing.
  if (best === undefined || best.distance > Math.max(1, Math.floor(word.length / 3))) return undefined;
  return best.candidate;
}

/** `; did you mean "x"?`, or nothing: the end of a sentence that names an unknown word. */
export function didYouMean(word: string, known: readonly string[]): string {
  const closest = closestWord(word, known);
  return closest === undefined ? '' : `; did you mean "${closest}"?`;
}

/** Letters to insert, drop, replace or swap with their neighbour. */
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
