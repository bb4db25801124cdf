import { expect, test } from 'vitest';
import {
  anchorsOf,
  linksOf,
  npmScriptsOf,
  operatorCommandsOf,
  operatorLinesOf,
  pathsOf,
  sectionOf,
  tableBelow,
} from './documents/markdown.ts';

test('finds links in prose, not in code, and leaves addresses of the web alone', () => {
  const text = 'See [`a`](docs/a.md#b) and [web](https://example.com), not `[x](y)`.\n\n```\n[z](z.md)\n```\n';

  expect(linksOf(text)).toEqual(['docs/a.md#b']);
});

test('finds paths in backticks, in fences and in indented lines, and none with a placeholder', () => {
  const text = [
    'Prose docs/no.md, `shared/a.ts`, `npx vitest run test/unit -u`, `functions/<name>/handler.ts`, `infra/workers/…`.',
    '',
    '    npx autopilot upload examples/x.csv',
    '',
    '```',
    'cli/main.ts   the command',
    '```',
  ].join('\n');

  expect(pathsOf(text).toSorted()).toEqual(['cli/main.ts', 'examples/x.csv', 'shared/a.ts', 'test/unit']);
});

test('finds npm scripts by both of their forms, and the operator’s commands', () => {
  const text =
    '`npm ci && npm start -- --help`, `npm run check:lock`; `npx autopilot parked list`, `gateway-autopilot x`';

  expect(npmScriptsOf(text)).toEqual(['ci', 'start', 'check:lock']);
  expect(operatorCommandsOf(text)).toEqual(['parked']);
});

test('makes the anchors of headings as GitHub does', () => {
  expect(anchorsOf('# Two stacks, and the numbers\n\n```\n# no heading\n```\n\n## `a_b` (x)\n')).toEqual([
    'two-stacks-and-the-numbers',
    'a_b-x',
  ]);
});

test('reads the first table below a heading', () => {
  const text =
    '## One\n\n| x |\n|---|\n| no |\n\n## Two\n\nWords.\n\n| a | b |\n|---|---|\n| `1` | 2 |\n\n| c |\n|---|\n| 3 |\n';

  expect(tableBelow(text, 'Two')).toEqual([['`1`', '2']]);
});

test('reads the operator’s command lines as words, quotes taken off', () => {
  const text =
    'Say `autopilot status` or `npx autopilot parked`.\n\n    autopilot send stop x --reason "a b"\n    aws x\n';

  expect(operatorLinesOf(text)).toEqual([['send', 'stop', 'x', '--reason', 'a b'], ['status'], ['parked']]);
});

test('reads the text below a heading up to the next one of its level', () => {
  expect(sectionOf('# A\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n', 'B').trim()).toBe('b\n\n### C\n\nc');
});
