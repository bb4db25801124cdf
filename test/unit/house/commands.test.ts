import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { leftOut } from '../../../vitest.config.ts';

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(packageFolder, 'package.json'), 'utf8'),
).scripts;

test('a newcomer finds at most 20 commands, and those that others know keep their names', () => {
  const kept = ['test', 'start', 'check', 'check:lock', 'house', 'mutants', 'faults', 'availability', 'chaos', 'bench'];

  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...kept, 'test:all']));
});

test('npm test says what it leaves out, by folder', () => {
  const line = leftOut(['test/integration/stage/people/a.long.test.ts', 'test/integration/stage/b.long.test.ts']);

  expect(line).toBe('npm test leaves out 2 long files (integration/stage 2); npm run test:all runs them');
});
