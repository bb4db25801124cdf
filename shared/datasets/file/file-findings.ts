import { type FileProblem, oddKinds, type OddPrompts } from './checked-file.ts';

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

/** A problem of a line that is no row. */
export function ofLine(line: number, says: string): FoundProblem {
  return { line, says, text: `line ${line}: ${says}` };
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

/** Rows of one chunk of a tally: an array that grows is twice in memory. */
const chunkRows = 16_384;

/**
 * Counts rows, labels and prompts that repeat. Each row costs 12 bytes: a file may hold five
 * million.
 */
export class PromptTally {
  /**
   * For each row with a label its place, and a number: the same for the same prompt but for its last bit, the label.
   */
  readonly #chunks: { readonly numbers: Float64Array; readonly places: Uint32Array }[] = [];
  #rows = 0;
  #labelled = 0;
  #blocking = 0;
  readonly #odd = new Map<OddKind, { rows: number; first: number }>();

  /** Counts a row; `undefined`: its label cannot be read. */
  add(row: number, prompt: string, isBlocking: boolean | undefined): void {
    this.#rows += 1;
    this.#lookAt(row, prompt);
    if (isBlocking === undefined) return;
    const index = this.#labelled % chunkRows;
    if (index === 0) this.#chunks.push({ numbers: new Float64Array(chunkRows), places: new Uint32Array(chunkRows) });
    const { numbers, places } = this.#chunks.at(-1) ?? { numbers: [], places: [] };
    numbers[index] = numberOf(prompt) * 2 + (isBlocking ? 1 : 0);
    places[index] = row;
    this.#labelled += 1;
    if (isBlocking) this.#blocking += 1;
  }

  #lookAt(row: number, prompt: string): void {
    if (!maybeOdd.test(prompt)) return;
    for (const kind of oddKinds) {
      if (!oddities[kind].pattern.test(prompt)) continue;
      const seen = this.#odd.get(kind) ?? { rows: 0, first: row };
      this.#odd.set(kind, { ...seen, rows: seen.rows + 1 });
    }
  }

  /** Says what was counted, with at most this many contradictions. */
  result(mostContradictions: number): TallyResult {
    const sorted = this.#sorted();
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
    return { rows: this.#rows, blocking: this.#blocking, repeated, contradicted, contradictions, odd };
  }

  /** The numbers of all of them. */
  #sorted(): Float64Array {
    const all = new Float64Array(this.#labelled);
    for (const [index, { numbers }] of this.#chunks.entries())
      all.set(numbers.subarray(0, this.#labelled - index * chunkRows), index * chunkRows);
    return all.sort();
  }

  /** Finds both rows of each of these prompts, in the order of the file. */
  #rowsOf(prompts: ReadonlySet<number>): readonly Contradiction[] {
    const found = new Map<number, { row: number; isBlocking: boolean; other?: number }>();
    if (prompts.size === 0) return [];
    for (const [chunk, { numbers, places }] of this.#chunks.entries()) {
      for (const [index, number] of numbers.subarray(0, this.#labelled - chunk * chunkRows).entries()) {
        const prompt = promptOf(number);
        if (!prompts.has(prompt)) continue;
        const row = places[index] ?? 0;
        const isBlocking = number % 2 === 1;
        const first = found.get(prompt);
        if (first === undefined) found.set(prompt, { row, isBlocking });
        else if (first.isBlocking !== isBlocking) first.other ??= row;
      }
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
 * 48 bits of a hash of a text, with the mixing of MurmurHash3. In one of fifty thousand files of a hundred thousand prompts, two are taken
 * for one. A digest of each of five million rows took seconds.
 */
function numberOf(prompt: string): number {
  let high = 0xdead_beef;
  let low = 0x41c6_ce57;
  for (let index = 0; index < prompt.length; index += 1) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- each unit counts
    const unit = prompt.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e37_79b1);
    low = Math.imul(low ^ unit, 0x5f35_6495);
  }
  const [mixed, other] = [mix(high ^ (low >>> 13)), mix(low ^ (high >>> 15))];
  return (mixed & 0xffff) * 2 ** 32 + (other >>> 0);
}

function mix(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x85eb_ca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35);
  return twice ^ (twice >>> 16);
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
        const text = `all ${rows} rows, as row ${first.row}${first.line === undefined ? '' : ` (line ${first.line})`}: ${first.says}`;
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
