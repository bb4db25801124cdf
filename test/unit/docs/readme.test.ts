import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programs } from '#cli/programs.ts';
import { readLine } from '#shared/text/program-arguments.ts';
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
    await expect(taken(words)).resolves.toBeDefined();
  },
);

/** A program that is named alone may lack its words. */
async function taken([name = '', ...rest]: readonly string[]): Promise<unknown> {
  const program = programs[name];
  if (program === undefined) return typed([name, ...rest]);
  return rest.length === 0 ? program : readLine(name, await program.line(), rest);
}
