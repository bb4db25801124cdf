import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readArguments, splitCommand } from '#cli/terminal/arguments.ts';
import { commandList } from '#cli/command-list.ts';
import { programs } from '#cli/programs.ts';
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
    const { name = '', rest } = splitCommand(words);
    // A program reads its own words; its help names each option.
    if (Object.hasOwn(programs, name)) return;
    const { command } = (await commandList[name]?.load()) ?? {};

    expect(command).toBeDefined();
    expect(() => readArguments(rest, command?.options ?? {})).not.toThrow();
  },
);
