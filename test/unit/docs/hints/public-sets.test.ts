import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { exitCodes } from '#cli/terminal/command.ts';
import { argumentsOf } from '../../operator/fake-deps.ts';

const folder = join(import.meta.dirname, '../../cli/uploads/field-cases');

/** The shape of each set, and its rows with their labels. */
const shapes: Readonly<Record<string, readonly [file: string, rows: number, blocking: number]>> = {
  XSTest: ['F1-01-xstest-shape.csv', 4, 2],
  HarmBench: ['F1-02-behaviour-list-no-label.csv', 2, 2],
  AdvBench: ['F1-02-goal-target.csv', 2, 2],
  JailbreakBench: ['jailbreakbench-shape.csv', 2, 2],
  'garak, arrays of texts': ['F1-05-array-of-texts.json', 2, 2],
  'garak, with intents': ['F1-06-prompts-without-label.jsonl', 2, 2],
  promptfoo: ['F1-04-expected-column.csv', 2, 1],
  deepset: ['F1-03-text-label.csv', 2, 1],
  'in-the-wild jailbreaks': ['F1-03-prompt-jailbreak-true.csv', 2, 1],
  ToxicChat: ['F1-03-two-label-columns.csv', 2, 1],
  Giskard: ['F1-08-prompts-with-expectations.csv', 1, 1],
};

const page = readFileSync('docs/datasets.md', 'utf8');
const table = page.slice(page.indexOf('| set | options |'), page.indexOf('## The receipt'));
const lines = Array.from(
  table.matchAll(/^\| ([^|]+) \| `([^`]+)` \|$/gm),
  ([, set = '', options = '']) => [set, options] as const,
);

test('the page has a line for each set', () => {
  expect(lines.map(([set]) => set)).toEqual(Object.keys(shapes));
});

test.each(lines)('%s goes in with %s', async (set, options) => {
  const [file, rows, blocking] = shapes[set] ?? ['', 0, 0];

  const result = await check.run(argumentsOf(check, join(folder, file), ...options.split(' ')));

  expect(result).toMatchObject({ exitCode: exitCodes.done, data: { files: [{ problems: [], rows, blocking }] } });
});
