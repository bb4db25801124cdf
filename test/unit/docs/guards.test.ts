/** The tables of docs/guards.md have every guard, and what it shows of the programs is what they print. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guards } from '#shared/guards/guards.ts';
import { freshGuardsDocument, guardsPath, play } from './documents/guards-samples.ts';
import { tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'guards.md'), 'utf8');

test('each guard has its row, in the order in which it is asked, with its reason and its section', () => {
  const rows = tableBelow(page, 'What is asked');
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );

  expect(rows.map(([name]) => name)).toEqual(guards.map(({ name }) => `\`${name}\``));
  for (const [index, { name, reason }] of guards.entries()) {
    const [, says = '', reasonCell = ''] = rows[index] ?? [];
    expect(reasonCell, name).toContain(`\`${reason}\``);
    expect(headings, name).toContain(/\]\(#([a-z-]+)\)/.exec(says)?.[1]);
  }
});

test('each field in which a guard remembers stands in the row of docs/reference/ledger.md', () => {
  const ledger = readFileSync(join(root, 'docs', 'reference', 'ledger.md'), 'utf8');
  const source = readFileSync(join(root, 'shared', 'ledger', 'rows', 'target-row.ts'), 'utf8');
  const [, body = ''] = /interface TargetRow [^{]*\{\n([^]*?)\n\}/.exec(source) ?? [];
  const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field);
  const [, , holds = ''] = tableBelow(ledger, 'Rows').find(([name]) => name === '`target`') ?? [];

  expect(fields).toContain('startsOfMonth');
  const own = fields.filter((field) => field !== 'kind' && field !== 'target');
  expect(own.filter((field) => !holds.includes(`\`${field}\``))).toEqual([]);
});

test('the samples are what is printed (if not: npm run docs -- guards, and read the difference)', async () => {
  expect(readFileSync(guardsPath, 'utf8')).toBe(await freshGuardsDocument());
});

test('Overrides: the start that an operator wants is sent during a freeze', async () => {
  const { bench } = await play('Overrides');

  expect(bench.patches).toHaveLength(1);
});

test('Observe: a night of which nothing is sent', async () => {
  const { bench } = await play('Observe');

  expect(bench.patches).toEqual([]);
  expect(await bench.operator('autopilot status')).toContain('the stage only observes');
});

test('Change of mode: a run that was started for real goes on while the stage observes, and no stop is told as made', async () => {
  const { bench } = await play('Change of mode');

  expect(await bench.operator('autopilot status')).toContain('1 run that was started for real goes on');
  await expect(bench.operator('autopilot send stop nightly')).rejects.toThrow(/^NOT STOPPED: /);
  expect(bench.patches).toEqual([]);
});

test('Plan: nothing is sent', async () => {
  const { bench } = await play('Plan');

  expect(bench.patches).toEqual([]);
});
