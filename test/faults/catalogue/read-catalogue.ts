/** One fault of `docs/fault-catalogue.md`. */
export interface Fault {
  readonly id: string;
  readonly injected: string;
  readonly mustHold: string;
  /** What cannot be tested here, and what stands in its place; empty where the tests say all. */
  readonly limit: string;
}

/** Reads the rows of the catalogue's tables, in their order. A row begins with an id and has three more cells. */
export function readCatalogue(markdown: string): Fault[] {
  return [...markdown.matchAll(/^\| *([A-Z]\d+) *\|(.*)\|$/gm)].map(([row, id = '', rest = '']) => {
    const [injected = '', mustHold = '', limit = '', ...more] = rest.split('|').map((cell) => cell.trim());
    if (injected === '' || mustHold === '' || more.length > 0) throw new Error(`no row of the catalogue: ${row}`);
    return { id, injected, mustHold, limit };
  });
}
