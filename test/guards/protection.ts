/** One protection of the product, and how to take it out: text that stands in its file exactly once, and what stands there without it. */
export interface Protection {
  /** What it protects from, as a promise that is broken without it. */
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Test files of which at least one has to go red. */
  readonly tests: readonly string[];
}

/** How often a text stands in another. */
export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
