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

/** How often a text stands in another. */
export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
