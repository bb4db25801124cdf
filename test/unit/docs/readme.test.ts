import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArguments, splitCommand } from '#cli/terminal/arguments.ts';
import { commandList } from '#cli/command-list.ts';
import { operatorLinesOf, tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const pages = ['README.md', ...['guards', 'watching', 'datasets', 'evidence'].map((page) => `docs/${page}.md`)];

/** The settings of each interface of the configuration, read from its source: types have no value at run time. */
const settings = new Map(
  [...read('shared/config/automation.ts').matchAll(/export interface (\w+) (?:extends \w+ )?\{([\s\S]*?)\n\}/g)].map(
    ([, name = '', body = '']) => [name, [...body.matchAll(/readonly (\w+)\??:/g)].map(([, key = '']) => key)],
  ),
);
const known = new Set([...settings.values()].flat());

describe('what it does for you', () => {
  const cells = tableBelow(readme, 'What it does for you').map(([cell = '']) => cell);

  test('names only settings that there are', () => {
    const named = cells
      .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/'[^']*'/g, "''")))
      .flatMap((code) => [...code.matchAll(/(\w+):/g)].map(([, key = '']) => key));

    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((key) => !known.has(key))).toEqual([]);
  });

  test.each(['CampaignDocument', 'RunDocument', 'ScheduleDocument', 'BlackoutDocument'])(
    'each setting of a %s is in code there, or in a page that it leads to',
    (name) => {
      const code = pages.flatMap((page) => [...read(page).matchAll(/`[^`]+`|```[\s\S]*?```/g)].map(([text]) => text));
      const isNamed = (key: string) => code.some((text) => new RegExp(`\\b${key}:|^\`${key}\`$`).test(text));

      expect(settings.get(name)?.length).toBeGreaterThan(3);
      expect(settings.get(name)?.filter((key) => !isNamed(key))).toEqual([]);
    },
  );
});

const lines = operatorLinesOf(readme).filter(([word = '']) => !word.startsWith('-'));

test.each(lines.map((words) => [words.join(' '), words] as const))(
  'autopilot %s is a line that the command takes',
  async (_line, words) => {
    const { name = '', rest } = splitCommand(words);
    const { command } = (await commandList[name]?.load()) ?? {};

    expect(command).toBeDefined();
    expect(() => readArguments(rest, command?.options ?? {})).not.toThrow();
  },
);
