/** What docs/guards.md shows of the command line and the synthesis is what they print. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freshGuardsDocument, guardsPath, play } from './documents/guards-samples.ts';

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
