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

test('npm test kills the mutants of workers, guards and the ledger: each names a short file', () => {
  const ofDecisions = mutants.filter(({ file }) => /^(?:functions|shared)\//.test(file));
  const onlyLong = ofDecisions.filter(({ tests }) => tests.every((path) => path.endsWith('.long.test.ts')));

  expect(ofDecisions.length).toBeGreaterThan(300);
  expect(onlyLong.map(({ name }) => name)).toEqual([]);
});
