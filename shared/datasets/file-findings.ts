import { hash } from 'node:crypto';
import { type FileProblem, oddKinds, type OddPrompts } from '../ledger/rows/upload-row.ts';

/** A problem, and the sentence about it that names its place. */
export interface FoundProblem extends FileProblem {
  readonly text: string;
  /** Problems of one kind that each row has are one sentence. */
  readonly kind?: string;
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
 * The row of a record as a spreadsheet counts (the header is row 1), and the line on which it
 * begins.
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
  const kind = column === 'label' ? 'label' : says;
  return { row, line, column, says, kind, text: `${placeInWords({ row, line })}: ${says}` };
}

/** Something wrong with a row as a whole, as what can be said of it: `has 3 columns`. */
export function aboutRow({ row, line }: Place, says: string): FoundProblem {
  return { row, line, says: `the row ${says}`, kind: says, text: `${placeInWords({ row, line })} ${says}` };
}

/** Names a place in a sentence. */
function placeInWords({ row, line }: Place): string {
  return `row ${row} (line ${line})`;
}

/**
 * A prompt that has both labels: the first row that has the prompt, and the first with the other
 * label.
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
  readonly odd: readonly OddPrompts[];
}

type OddKind = OddPrompts['kind'];

/** How each kind is found in a prompt, and what such a prompt holds. */
const oddities: Readonly<Record<OddKind, { readonly pattern: RegExp; readonly holds: string }>> = {
  // oxlint-disable-next-line no-control-regex -- it is what is looked for
  nul: { pattern: /\u0000/, holds: 'NUL characters' },
  replaced: { pattern: /\uFFFD/, holds: 'the character U+FFFD, which stands for a lost one' },
  mojibake: {
    // UTF-8 that was read as windows-1252 once: a lead byte, and a byte that only continues.
    pattern:
      // oxlint-disable-next-line no-control-regex -- it is what is looked for
      /[\u00C2\u00C3][\u0080-\u00BF]|\u00E2\u20AC|\u00C3[\u0152\u0153\u0160\u0161\u0178\u017D\u017E\u0192\u02C6\u02DC\u2013-\u2122]/,
    holds: 'what looks like UTF-8 read in another encoding',
  },
  nan: { pattern: /^(?:nan|null|none|n\/a)$/i, holds: 'only nan, null or none: is a value missing?' },
  error: {
    pattern: /^#(?:NAME\?|N\/A|REF!|VALUE!|DIV\/0!|NUM!|NULL!)$/,
    holds: 'only an error of a spreadsheet, such as #NAME?',
  },
};
/** One look at a prompt that none of them is true of. */
const maybeOdd = new RegExp(oddKinds.map((kind) => oddities[kind].pattern.source).join('|'), 'i');

/** What may be wrong with such prompts, in words. */
export function oddSentence({ kind, rows, first }: OddPrompts): string {
  const { holds } = oddities[kind];
  return rows === 1
    ? `the prompt of row ${first} holds ${holds}`
    : `${rows} prompts hold ${holds} (the first: row ${first})`;
}

/**
 * Counts rows, labels and prompts that repeat. Each row costs 8 bytes: a file may hold three
 * million.
 */
export class PromptTally {
  /**
   * For each row a number, the same for the same prompt but for its last bit, the label. NaN: no
   * good label.
   */
  readonly #numbers: number[] = [];
  /** Rows that are left out: behind so many numbers, a row's place is so much larger. */
  readonly #gaps: (readonly [from: number, offset: number])[] = [];
  #offset = 0;
  #blocking = 0;
  readonly #odd = new Map<OddKind, { rows: number; first: number }>();

  /** Counts a row; `undefined`: its label cannot be read. */
  add(row: number, prompt: string, isBlocking: boolean | undefined): void {
    const offset = row - this.#numbers.length;
    if (offset !== this.#offset) {
      this.#gaps.push([this.#numbers.length, offset]);
      this.#offset = offset;
    }
    if (isBlocking === true) this.#blocking += 1;
    this.#numbers.push(isBlocking === undefined ? Number.NaN : numberOf(prompt) * 2 + (isBlocking ? 1 : 0));
    if (!maybeOdd.test(prompt)) return;
    for (const kind of oddKinds) {
      if (!oddities[kind].pattern.test(prompt)) continue;
      const seen = this.#odd.get(kind) ?? { rows: 0, first: row };
      this.#odd.set(kind, { ...seen, rows: seen.rows + 1 });
    }
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
    const odd = [...this.#odd].map(([kind, found]) => ({ kind, ...found }));
    const rows = this.#numbers.length;
    return { rows, blocking: this.#blocking, repeated, contradicted, contradictions, odd };
  }

  /** Finds both rows of each of these prompts, in the order of the file. */
  #rowsOf(prompts: ReadonlySet<number>): readonly Contradiction[] {
    const found = new Map<number, { row: number; isBlocking: boolean; other?: number }>();
    let gap = 0;
    if (prompts.size === 0) return [];
    for (const [index, number] of this.#numbers.entries()) {
      const prompt = promptOf(number);
      if (!prompts.has(prompt)) continue;
      while (index >= (this.#gaps[gap + 1]?.[0] ?? Number.POSITIVE_INFINITY)) gap += 1;
      const row = index + (this.#gaps[gap]?.[1] ?? 0);
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
 * 48 bits of a hash: in one of fifty thousand files of a hundred thousand prompts, two are taken
 * for one.
 */
function numberOf(prompt: string): number {
  return hash('sha1', prompt, 'buffer').readUIntBE(0, 6);
}

/** The first problems of a file, and how many more there are. */
export function problemList(most: number) {
  const kinds = new Map<string, { readonly listed: FoundProblem[]; count: number }>();
  const found = () => [...kinds.values()].flatMap(({ listed }) => listed);
  const add = (problem: FoundProblem) => {
    const own = problem.kind ?? problem.says;
    const name = kinds.size <= most || kinds.has(own) ? own : '';
    const kind = kinds.get(name) ?? { listed: [], count: 0 };
    kinds.set(name, kind);
    kind.count += 1;
    if (kind.listed.length < most) kind.listed.push(problem);
  };
  return {
    isEmpty: () => kinds.size === 0,
    count: (kind: string) => kinds.get(kind)?.count ?? 0,
    add(...problems: readonly FoundProblem[]): void {
      for (const problem of problems) add(problem);
    },
    /** Takes a kind away, of which one sentence speaks. */
    drop: (kind: string) => kinds.delete(kind),
    /** @param rows - if each of so many rows has a problem of one kind, that is one sentence */
    answer(rows: number): ListedProblems {
      for (const [name, kind] of kinds) {
        const [first] = kind.listed;
        if (rows < 2 || kind.count !== rows || first?.row === undefined) continue;
        const text = `all ${rows} rows, as row ${first.row}: ${first.says}`;
        kinds.set(name, { listed: [{ ...first, text }], count: 1 });
      }
      const total = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
      const shown = found()
        .toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0))
        .slice(0, most);
      return {
        problems: shown.map(({ text }) => text),
        problemsByRow: shown.map(({ text: _text, kind: _kind, ...problem }) => problem),
        more: total - shown.length,
      };
    },
  };
}
