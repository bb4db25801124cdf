/** The tables of docs/guards.md have every guard, and what it shows of the programs is what they print, to the letter. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guards } from '#shared/guards/guards.ts';
import { formatProblems } from '#infra/config/load-automation.ts';
import { sectionOf, settingsIn, tableBelow } from './documents/markdown.ts';
import { createOperatorBench, shownIn } from './documents/operator-bench.ts';

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

const settings = await settingsIn(sectionOf(page, 'What is asked'));

type Bench = ReturnType<typeof createOperatorBench>;

/** Types the command lines of a block, one after the other. */
async function typed(block: string, bench: Bench): Promise<string> {
  const lines = block.split('\n').filter((line) => line.startsWith('$ '));
  const printed: string[] = [];
  for (const line of lines) {
    printed.push(line, await bench.operator(line.slice(2)));
    bench.passMs(1000);
  }
  return printed.join('\n');
}

/** The only block of a section. */
function sampleOf(section: string): string {
  const [sample = '', ...more] = shownIn(sectionOf(page, section));
  expect(sample).toMatch(/^\$ autopilot /);
  expect(more).toEqual([]);
  return sample;
}

test('Overrides: the start that an operator wants is sent during a freeze', async () => {
  const bench = createOperatorBench(settings);
  await bench.operator('autopilot freeze --reason INC-77');
  bench.passMs(30 * 60_000);

  expect(await typed(sampleOf('Overrides'), bench)).toBe(sampleOf('Overrides'));
  expect(bench.patches).toHaveLength(1);
});

test('Observe: a night of which nothing is sent', async () => {
  const observe = await settingsIn(sectionOf(page, 'Observe'));
  const bench = createOperatorBench({ ...settings, ...observe });
  await bench.fire('weeknights', '2026-11-23T22:00:00.000Z');
  await bench.tick('2026-11-24T06:00:30.000Z');

  expect(await typed(sampleOf('Observe'), bench)).toBe(sampleOf('Observe'));
  expect(bench.patches).toEqual([]);
  expect(await bench.operator('autopilot status')).toContain('the stage only observes');
});

test('Change of mode: a run that was started for real goes on while the stage observes, and no stop is told as made', async () => {
  const acted = createOperatorBench(settings);
  await acted.fire('weeknights', '2026-11-23T22:00:00.000Z');
  const bench = createOperatorBench({ ...settings, mode: 'observe' });
  for (const { version: _version, writer: _writer, ...row } of acted.table.all())
    await bench.table.write(undefined, row);
  bench.moveTo('2026-11-24T08:00:01.000Z');

  expect(await bench.operator('autopilot status')).toContain('1 run that was started for real goes on');
  await expect(bench.operator('autopilot send stop nightly')).rejects.toThrow(/^NOT STOPPED: /);
  expect(await typed(sampleOf('Change of mode'), bench)).toBe(sampleOf('Change of mode'));
  expect(bench.patches).toEqual([]);
});

test('History: a night, a freeze, an override and a start that a blackout puts off', async () => {
  const bench = createOperatorBench(settings);
  await bench.fire('weeknights', '2026-11-20T22:00:00.000Z');
  bench.moveTo('2026-11-20T22:29:00.000Z');
  await bench.operator('autopilot freeze --reason INC-77');
  await bench.ask('2026-11-20T22:30:00.000Z', { run: 'smoke', origin: { kind: 'upload', name: 'datasets/a.csv' } });
  bench.passMs(60_000);
  await bench.operator('autopilot send start smoke --override frozen --reason "INC-77: proof that it works again"');
  await bench.operator('autopilot thaw');
  await bench.tick('2026-11-20T23:01:10.000Z');
  await bench.tick('2026-11-21T06:00:10.000Z');
  await bench.ask('2026-11-23T10:00:00.000Z', {
    run: 'nightly',
    origin: { kind: 'operator', name: 'grace' },
  });

  expect(await typed(sampleOf('History'), bench)).toBe(sampleOf('History'));
});

test('Plan: what the schedule of the page will do with the ids that are left', async () => {
  const bench = createOperatorBench(settings);
  bench.passMs(60_000);

  expect(await typed(sampleOf('Plan'), bench)).toBe(sampleOf('Plan'));
  expect(bench.patches).toEqual([]);
});

test('Warnings: what the synthesis says about the schedules of the page', async () => {
  const section = sectionOf(page, 'Warnings');
  const { warnings } = createOperatorBench({ ...settings, ...(await settingsIn(section)) });

  const ofSchedules = warnings.filter(({ path }) => path.startsWith('schedules'));
  expect(formatProblems(ofSchedules)).toBe(shownIn(section)[0]);
});
