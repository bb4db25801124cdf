/** What a check of a file comes to, as rows and answers keep it. */

/** What a check found in a file that passed it. */
export interface CheckedFile {
  /** Without the header. */
  readonly rows: number;
  /** Rows labelled true or 1: prompts that should be blocked. */
  readonly blocking: number;
  /** Rows whose prompt stands in an earlier row too. */
  readonly repeated: number;
  /** Prompts that have both labels: how many, and the two rows of the first. */
  readonly contradictory?: { readonly prompts: number; readonly rows: readonly [number, number] };
  /** Prompts that are hardly what a person wrote, by what is odd in them. Absent if there is none. */
  readonly odd?: readonly OddPrompts[];
  /** The sheet of a workbook that was read. */
  readonly sheet?: string;
}

/** What may be odd in a prompt; `file-findings.ts` says how each is found. */
export const oddKinds = ['nul', 'replaced', 'mojibake', 'nan', 'error'] as const;

/** Rows whose prompt is odd in one way. */
export interface OddPrompts {
  readonly kind: (typeof oddKinds)[number];
  readonly rows: number;
  /** The first of them. */
  readonly first: number;
}

/** What is wrong with a file, as data; without a row it is about the whole file. */
export interface FileProblem {
  /** As a spreadsheet counts: the header is row 1. */
  readonly row?: number;
  /** The line of the text on which the row begins. */
  readonly line?: number;
  readonly column?: 'prompt' | 'label';
  /** The columns that the file does not have. */
  readonly lacks?: readonly ('prompt' | 'label')[];
  readonly says: string;
}
