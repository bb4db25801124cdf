import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { guards as askedGuards } from '#shared/guards/guards.ts';
import { commandsEndWith, fakeDeps, type FakeStage, textOf, typed } from '../operator/fake-deps.ts';
import { operatorLinesOf, sectionOf, tableBelow } from './documents/markdown.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const guards = readFileSync(join(root, 'docs', 'guards.md'), 'utf8');

const weeknights: DeployedSchedule = {
  name: 'weeknights',
  expression: 'cron(0 22 ? * MON-FRI *)',
  timezone: 'Europe/Dublin',
  isEnabled: true,
  targetArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
  input: '{"action":"start","run":"nightly"}',
};

/** A stage that knows the names of the page: one for all lines of a section, in their order. */
const stage: FakeStage = {
  ...commandsEndWith({ kind: 'applied' }),
  schedules: [weeknights],
  functionAnswer: (input) => ({
    payload: input.includes('preview')
      ? JSON.stringify({ now: '2026-11-20T20:00:00.000Z', mode: 'act', commands: [], unread: [] })
      : JSON.stringify({ runs: { nightly: { name: 'nightly', campaign: 'chat-bot' } } }),
  }),
};

async function runLines(section: string): Promise<readonly string[]> {
  const { deps } = fakeDeps(stage);
  const texts: string[] = [];
  for (const words of operatorLinesOf(sectionOf(guards, section))) {
    // A word alone names the command in the text.
    if (words.length === 1 && !['thaw', 'history', 'plan'].includes(words[0] ?? '')) continue;
    const { command, args } = await typed(words);
    texts.push(textOf(await command.run(args, deps)));
  }
  return texts;
}

test('each command of the switches does what the page says, in its order', async () => {
  const texts = await runLines('Switches');

  expect(texts).toEqual([
    expect.stringMatching(/^FROZEN: /),
    expect.stringMatching(/^PAUSED campaign chat-bot: /),
    expect.stringMatching(/^PAUSED schedule weeknights: /),
    expect.stringMatching(/^thawed: /),
    expect.stringMatching(/^resumed campaign chat-bot: /),
    expect.stringMatching(/^resumed schedule weeknights: /),
    expect.stringMatching(/^nothing is in flight/),
    expect.stringMatching(/^nothing is in flight/),
    expect.stringMatching(/^PAUSED campaign chat-bot: /),
  ]);
});

test.each(['Overrides', 'History', 'Plan'])('each command below %s runs as it stands there', async (section) => {
  expect((await runLines(section)).length).toBeGreaterThan(0);
});

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
