/**
 * The code with one protection removed: text that stands in its file exactly once, and what stands
 * there without the protection.
 */
export interface Mutant {
  /** The promise that is broken without the protection. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Test files of which at least one must fail. */
  readonly tests: readonly string[];
}

/** Text that goes, or a text and what takes its place: no more of the line than stands there once. */
type Change = string | readonly [from: string, to: string];

/** The mutants of a file that the same tests kill, each by its name. */
export function without(
  file: string,
  tests: readonly string[],
  changes: Readonly<Record<string, Change>>,
): readonly Mutant[] {
  return Object.entries(changes).map(([name, change]) => {
    const [from, to] = typeof change === 'string' ? [change, ''] : change;
    return { name, file, from, to, tests };
  });
}

/** How often a text stands in another. */
export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
