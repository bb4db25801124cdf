import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaks } from '../../bench/breaks/breaks.ts';
import { benchRows } from '../../bench/rows.ts';
import { occurrences } from '../../mutants/mutant.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Measuring takes minutes (`npm run bench -- breaks`); that the list still fits the code and the rows
 * is seen here.
 */
test.each(breaks)('$name: can still be done, and its row is there', ({ row, file, from, to }) => {
  expect(occurrences(readFileSync(join(root, file), 'utf8'), from), `${file}: ${from}`).toBe(1);
  expect(to).not.toBe(from);
  expect(benchRows.map(({ id }) => id)).toContain(row);
});
