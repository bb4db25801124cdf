import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programs } from '#cli/programs.ts';
import { readLine } from '#shared/read-line.ts';
import { typed } from '../operator/fake-deps.ts';
import { operatorLinesOf } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');

test('has at most 100 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(101);
});

const lines = operatorLinesOf(readme).filter(([word = '']) => !word.startsWith('-'));

test.each(lines.map((words) => [words.join(' '), words] as const))(
  'autopilot %s is a line that the command takes',
  async (_line, words) => {
    const [name = '', ...rest] = words;
    const program = programs[name];

    if (program === undefined) expect(await typed(words)).toMatchObject({ name });
    else if (rest.length > 0) expect(readLine(name, await program.line(), rest)).toBeDefined();
  },
);
