/** A test whose title says which faults it proves. */
export interface Proof {
  readonly ids: readonly string[];
  readonly file: string;
  /** Without the ids; placeholders of tables as written. */
  readonly title: string;
  /** Skipped, or not written yet: it proves nothing. */
  readonly isSkipped: boolean;
}

const comment = /^\s*(?:\/\/|\/?\*).*$/gm;
const markedTitle = /(['"`])\[([A-Z]\d+(?: [A-Z]\d+)*)\] ((?:(?!\1)[^\\]|\\.)*)\1/g;
const skipped = /\.(?:skip|todo|fails)\s*\(\s*$/;

/**
 * Finds the titles that begin with ids in brackets: `it('[C5] …')`, `test('[C5 C16] …')`, a row of a table that gives a title. Reads the
 * text alone, so it is quick and needs nothing to run.
 */
export function findProofs(file: string, source: string): Proof[] {
  const code = source.replaceAll(comment, '');
  return [...code.matchAll(markedTitle)].map((match) => {
    const [, , ids = '', title = ''] = match;
    return { file, ids: ids.split(' '), title, isSkipped: skipped.test(code.slice(0, match.index)) };
  });
}
