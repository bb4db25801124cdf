import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readArguments, splitCommand } from '#cli/terminal/arguments.ts';
import { commandList } from '#cli/command-list.ts';
import { programs } from '#cli/programs.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { configurationSections } from './documents/configuration-settings.ts';
import { operatorLinesOf, tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const known = new Set(configurationSections().flatMap(({ settings }) => settings.flatMap(({ key }) => key.split('.'))));

test('has at most 120 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
});

test('the examples of docs/reference/configuration.md name only settings that there are', () => {
  const cells = tableBelow(read('docs/reference/configuration.md'), 'What it does for you').map(([cell = '']) => cell);

  const named = cells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/'[^']*'/g, "''")))
    .flatMap((code) => [...code.matchAll(/(\w+):/g)].map(([, key = '']) => key));

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((key) => !known.has(key))).toEqual([]);
});

test('its tour shows the next step that the code names, broken before the command', () => {
  const { nextStep } = parkReasons.CHECK_FAILED;

  expect(readme.replaceAll(/\n +npx autopilot/g, ' autopilot')).toContain(`next: ${nextStep}`);
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
