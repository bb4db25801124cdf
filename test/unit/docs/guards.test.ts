import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guards as askedGuards } from '#shared/guards/guards.ts';
import { tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const guards = readFileSync(join(root, 'docs', 'guards.md'), 'utf8');

test('each guard has its row, in the order in which it is asked, with its reason and its section', () => {
  const rows = tableBelow(guards, 'What is asked');
  const headings = [...guards.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );

  expect(rows.map(([name]) => name)).toEqual(askedGuards.map(({ name }) => `\`${name}\``));
  for (const [index, { name, reason }] of askedGuards.entries()) {
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
