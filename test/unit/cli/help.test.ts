import { expect, test } from 'vitest';
import { everyHelp, everySpec } from './command-specs.ts';

const helps = (await everyHelp()).filter(([path]) => path !== '');

test('every command and program has a help', async () => {
  expect(helps).toHaveLength((await everySpec()).length);
  expect(helps.length).toBeGreaterThan(40);
});

test.each(helps)('autopilot %s --help has the one form, at most 25 lines, and fits a terminal', (path, help) => {
  const lines = help.split('\n');
  const headings = lines.filter((line) => /^[A-Z]\S*:$/.test(line));

  expect(lines[0]).toMatch(new RegExp(`^Usage: autopilot ${path}`));
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  const form = ['Arguments:', 'Options:', 'Commands:', 'Examples:'];
  expect(headings).toEqual(form.filter((heading) => headings.includes(heading)));
});
