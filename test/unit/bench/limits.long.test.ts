/**
 * docs/reference/limits.md is made by `npm run docs -- limits`. If a change of the workers changes
 * a figure, that command measures again (minutes). If only words, quotas or the stack changed,
 * `-- --text` is enough (seconds).
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentPath, limitsDocument } from '../../bench/scale/limits-document.ts';
import { differences, readMeasured } from '../../bench/scale/measured.ts';
import { playAll, quickPart } from '../../bench/scale/scenarios.ts';
import { workersStackSize } from '../../bench/scale/workers-stack.ts';

test('the quick form of every scenario comes to what docs/reference/limits.md says', async () => {
  const { quick } = readMeasured();

  expect(differences(quick, await playAll(quickPart))).toEqual([]);
});

test('docs/reference/limits.md is what the measured figures, the quotas and the synthesized stack make it', async () => {
  const made = limitsDocument(readMeasured(), await workersStackSize());

  expect(readFileSync(documentPath, 'utf8')).toBe(made);
});
