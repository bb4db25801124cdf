import { expect, test } from 'vitest';
import { judgedLines } from '#cli/uploads/judged-lines.ts';
import { plain } from '#shared/text/terminal-writer.ts';

test.each([
  [1, 'a.csv: ready: 1 row, 1 true and 0 false'],
  [2, 'a.csv: ready: 2 rows, 1 true and 1 false'],
])('a file of %i row is counted as people count', (rows, line) => {
  // A file with one row had "1 rows".
  const judged = { file: 'a.csv', verdict: 'ready', changes: [], problems: [], more: 0, rows, blocking: 1 } as const;

  expect(judgedLines({ ...judged, problemsByRow: [] }, plain)).toEqual([line]);
});
