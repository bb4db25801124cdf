import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One fault of `docs/reference/fault-catalogue.md`. */
export interface Fault {
  readonly id: string;
  readonly injected: string;
  readonly mustHold: string;
  /** What cannot be tested here, and what stands in its place; empty if the tests say all. */
  readonly limit: string;
}

/**
 * Reads the lines of the catalogue, in their order: `- C5: what is injected → what must hold`, and the limit after a second arrow.
 */
function readCatalogue(markdown: string): Fault[] {
  return [...markdown.matchAll(/^- ([A-Z]\d+):(.*)$/gm)].map(([line, id = '', rest = '']) => {
    const [injected = '', mustHold = '', limit = '', ...more] = rest.split('→').map((part) => part.trim());
    if (injected === '' || mustHold === '' || more.length > 0) throw new Error(`no line of the catalogue: ${line}`);
    return { id, injected, mustHold, limit };
  });
}

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
 * Finds the titles that begin with ids in brackets: `it('[C5] …')`, `test('[C5 C16] …')`, a row of
 * a table that gives a title. Reads the text alone, so it is quick and needs nothing to run.
 */
function findProofs(file: string, source: string): Proof[] {
  const code = source.replaceAll(comment, '');
  return [...code.matchAll(markedTitle)].map((match) => {
    const [, , ids = '', title = ''] = match;
    return { file, ids: ids.split(' '), title, isSkipped: skipped.test(code.slice(0, match.index)) };
  });
}

/** One fault with the tests that prove it. */
export interface MatrixRow {
  readonly fault: Fault;
  readonly proofs: readonly Proof[];
}

/** Puts faults and tests together. A skipped test is none. */
export function matrixOf(faults: readonly Fault[], proofs: readonly Proof[]): MatrixRow[] {
  return faults.map((fault) => ({
    fault,
    proofs: proofs.filter(({ ids, isSkipped }) => ids.includes(fault.id) && !isSkipped),
  }));
}

/** Ids that have neither a test nor a reason why there is none. */
export function unproved(rows: readonly MatrixRow[]): string[] {
  return rows.filter(({ fault, proofs }) => proofs.length === 0 && fault.limit === '').map(({ fault }) => fault.id);
}

/** Titles with ids that the catalogue does not know. */
export function unknownIds(faults: readonly Fault[], proofs: readonly Proof[]): string[] {
  const known = new Set(faults.map(({ id }) => id));
  return proofs.flatMap(({ ids, file, title }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${id} in ${file}: ${title}`),
  );
}

/** The matrix as text: each fault, below it its tests and its reason. */
export function showMatrix(rows: readonly MatrixRow[]): string {
  const blocks = rows.map(({ fault, proofs }) => {
    const tests = proofs.map(({ file, title }) => `      ${file}: ${title}`);
    const reason = fault.limit === '' ? [] : [`      not tested here: ${fault.limit}`];
    const nothing = tests.length + reason.length === 0 ? ['      NO TEST AND NO REASON'] : [];
    return [`${fault.id.padEnd(4)}  ${fault.injected}`, ...tests, ...reason, ...nothing].join('\n');
  });
  const tested = rows.filter(({ proofs }) => proofs.length > 0).length;
  const excused = rows.filter(({ fault, proofs }) => proofs.length === 0 && fault.limit !== '').length;
  const open = unproved(rows);
  const missing = open.length === 0 ? '' : `; without both: ${open.join(', ')}`;
  return `${blocks.join('\n')}\n\n${rows.length} faults: ${tested} with tests, ${excused} with a reason instead${missing}\n`;
}

const root = join(import.meta.dirname, '../../..');

/** The catalogue of the project. */
export function projectFaults(): Fault[] {
  return readCatalogue(readFileSync(join(root, 'docs/reference/fault-catalogue.md'), 'utf8'));
}

/** Every test of the project whose title names a fault, by path. */
export function projectProofs(): Proof[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('test/faults/catalogue/'))
    .toSorted()
    .flatMap((path) => findProofs(path, readFileSync(join(root, path), 'utf8')));
}
