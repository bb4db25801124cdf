import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { occurrences } from '../../guards/protection.ts';
import { protections } from '../../guards/protections.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The campaign itself takes minutes (`npm run guards`); that its list still fits the code is seen here. */
test.each(protections)('$name: stands in its file once, and its tests are there', ({ file, from, to, tests }) => {
  expect(occurrences(readFileSync(join(root, file), 'utf8'), from), `${file}: ${from}`).toBe(1);
  expect(to).not.toBe(from);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(tests).not.toEqual([]);
});

test('each protection has a name of its own', () => {
  const names = protections.map(({ name }) => name);

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
