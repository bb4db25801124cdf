import type { Proof } from './find-proofs.ts';
import type { Fault } from './read-catalogue.ts';

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
