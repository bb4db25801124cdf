import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from '../../mutants/list/mutants.ts';
import { occurrences } from '../../mutants/mutant.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** `npm run mutants` takes minutes; that its list still fits the code is seen here. */
test.each(mutants)('$name: stands in its file once, and its tests are there', ({ file, from, to, tests }) => {
  expect(occurrences(readFileSync(join(root, file), 'utf8'), from), `${file}: ${from}`).toBe(1);
  expect(to).not.toBe(from);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(tests).not.toEqual([]);
});

test('each mutant has a name of its own', () => {
  const names = mutants.map(({ name }) => name);

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
