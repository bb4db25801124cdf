import { hash } from 'node:crypto';
import type { FileProblem } from '../ledger/rows/upload-row.ts';

/** A problem, and the sentence about it that names its place. */
export interface FoundProblem extends FileProblem {
  readonly text: string;
}

/** Problems in the order of the file. */
export interface ListedProblems {
  /** As sentences. */
  readonly problems: readonly string[];
  /** The same as data. */
  readonly problemsByRow: readonly FileProblem[];
  /** Problems beyond those that are listed. */
  readonly more: number;
}

/**
 * The position of a record: its row as a spreadsheet counts, and the line of the text on which it
 * begins. The header is row 1.
 */
export interface Place {
  readonly row: number;
  readonly line: number;
}

/** A problem of the whole file. */
export function ofFile(says: string): FoundProblem {
  return { says, text: says };
}

/** Something wrong in a row, or in one of its two columns. */
export function inRow({ row, line }: Place, says: string, column?: FileProblem['column']): FoundProblem {
  return { row, line, column, says, text: `${placeInWords({ row, line })}: ${says}` };
}

/** Something wrong with a row as a whole, as what can be said of it: `has 3 columns`. */
export function aboutRow({ row, line }: Place, says: string): FoundProblem {
  return { row, line, says: `the row ${says}`, text: `${placeInWords({ row, line })} ${says}` };
}

/** Names a place in a sentence. */
function placeInWords({ row, line }: Place): string {
  return `row ${row} (line ${line})`;
}

/**
 * A prompt that has both labels: the first row that has the prompt, and the first row with the
 * other label.
 */
export interface Contradiction {
  readonly row: number;
  readonly other: number;
}

/** What the prompts and labels of a file say together. */
export interface TallyResult {
  readonly rows: number;
  /** Rows labelled true. */
  readonly blocking: number;
  /** Rows whose prompt stands in an earlier row too. */
  readonly repeated: number;
  /** Prompts that have both labels. */
  readonly contradicted: number;
  /** The first of them, by row. */
  readonly contradictions: readonly Contradiction[];
}

/** The header is row 1. */
const firstRow = 2;

/**
 * Counts rows, labels and prompts that repeat. Each row costs 8 bytes: a file of 10 MB may hold
 * three million rows.
 */
export class PromptTally {
  /**
   * For each row a number: the same prompt has the same number but for its last bit, which is the
   * label. NaN: a row without a good label.
   */
  readonly #numbers: number[] = [];
  #rows = 0;
  #blocking = 0;

  /**
   * Counts a row; `undefined`: its label cannot be read. Rows that are left out between two rows
   * are counted by `row`.
   */
  add(row: number, prompt: string, isBlocking: boolean | undefined): void {
    while (this.#numbers.length < row - firstRow) this.#numbers.push(Number.NaN);
    this.#rows += 1;
    if (isBlocking === true) this.#blocking += 1;
    this.#numbers.push(isBlocking === undefined ? Number.NaN : numberOf(prompt) * 2 + (isBlocking ? 1 : 0));
  }

  /** Says what was counted, with at most this many contradictions. */
  result(mostContradictions: number): TallyResult {
    // NaN is last.
    const sorted = Float64Array.from(this.#numbers).sort();
    const twofold = new Set<number>();
    let repeated = 0;
    let contradicted = 0;
    for (let index = 1; index < sorted.length; index += 1) {
      const one = sorted[index - 1] ?? 0;
      const next = sorted[index] ?? 0;
      if (promptOf(one) !== promptOf(next)) continue;
      repeated += 1;
      if (one === next) continue;
      contradicted += 1;
      if (twofold.size < mostHeld) twofold.add(promptOf(one));
    }
    const contradictions = this.#rowsOf(twofold).slice(0, mostContradictions);
    return { rows: this.#rows, blocking: this.#blocking, repeated, contradicted, contradictions };
  }

  /** Finds both rows of each of these prompts, in the order of the file. */
  #rowsOf(prompts: ReadonlySet<number>): readonly Contradiction[] {
    const found = new Map<number, { row: number; isBlocking: boolean; other?: number }>();
    if (prompts.size === 0) return [];
    for (const [index, number] of this.#numbers.entries()) {
      const prompt = promptOf(number);
      if (!prompts.has(prompt)) continue;
      const row = index + firstRow;
      const isBlocking = number % 2 === 1;
      const first = found.get(prompt);
      if (first === undefined) found.set(prompt, { row, isBlocking });
      else if (first.isBlocking !== isBlocking) first.other ??= row;
    }
    return [...found.values()].flatMap(({ row, other }) => (other === undefined ? [] : [{ row, other }]));
  }
}

/** More than a person looks at; a file can hold a million. */
const mostHeld = 1_000;

function promptOf(number: number): number {
  return Math.floor(number / 2);
}

/**
 * 48 bits of a hash: in one of fifty thousand files with a hundred thousand prompts, two different
 * ones are taken for one.
 */
function numberOf(prompt: string): number {
  return hash('sha1', prompt, 'buffer').readUIntBE(0, 6);
}

/** The first problems of a file, and how many more there are. */
export function problemList(most: number) {
  const listed: FoundProblem[] = [];
  let more = 0;
  return {
    isEmpty: () => listed.length === 0,
    add(...found: readonly FoundProblem[]): void {
      for (const problem of found) {
        if (listed.length < most) listed.push(problem);
        else more += 1;
      }
    },
    answer: (): ListedProblems => ({
      problems: listed.map(({ text }) => text),
      problemsByRow: listed.map(({ text: _text, ...problem }) => problem),
      more,
    }),
  };
}
