import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { propertyRuns } from '../../builders/property-runs.ts';
import { readProject } from '../architecture/read-project.ts';

test('a property tries its usual number of cases, or as many as FAST_CHECK_RUNS says', () => {
  vi.stubEnv('FAST_CHECK_RUNS', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());

  expect([propertyRuns().numRuns, propertyRuns(30).numRuns]).toEqual([100, 30]);
  vi.stubEnv('FAST_CHECK_RUNS', '7');
  expect([propertyRuns().numRuns, propertyRuns(30).numRuns]).toEqual([7, 7]);
});

const drawn = () => fc.sample(fc.integer(), propertyRuns(20));

test('a property tries the same cases each time, unless FAST_CHECK_SEED asks for others', () => {
  vi.stubEnv('FAST_CHECK_SEED', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const usual = drawn();

  expect(drawn()).toEqual(usual);
  vi.stubEnv('FAST_CHECK_SEED', '7');
  const ofSeven = drawn();
  expect(ofSeven).not.toEqual(usual);
  expect(drawn()).toEqual(ofSeven);
  vi.stubEnv('FAST_CHECK_SEED', 'drawn');
  expect(drawn()).not.toEqual(drawn());
});

/** The properties of a test file that a person cannot give more cases, or another seed. */
function fixedProperties(text: string): number {
  const properties = text.match(/\bfc\.(?:assert|check)\(/g)?.length ?? 0;
  const obeying = text.match(/(?<!= )\bpropertyRuns\([\d_]*\)|(?<=\s|\.{3})(?:runs|tries)\b(?=,|\))/g)?.length ?? 0;
  return Math.max(0, properties - obeying);
}

test('every property test obeys FAST_CHECK_RUNS and FAST_CHECK_SEED', async () => {
  const sources = await readProject(join(import.meta.dirname, '..', '..', '..'));
  const tests = [...sources].filter(
    ([path]) => path.startsWith('test/') && path !== 'test/unit/house/property-runs.test.ts',
  );

  expect(tests.filter(([, text]) => text.includes('fc.assert(')).length).toBeGreaterThan(30);
  expect(tests.filter(([, text]) => fixedProperties(text) > 0).map(([path]) => path)).toEqual([]);
});

test.each([
  ['without a number', 'fc.assert(fc.property(a, b));', 1],
  ['with a number of its own', 'fc.assert(fc.property(a, b), { numRuns: 500 });', 1],
  ['with a seed of its own', 'const runs = propertyRuns(); fc.assert(fc.property(a, b), { seed: 1 });', 1],
  ['with the options of the helper', 'fc.assert(fc.property(a, b), propertyRuns(500));', 0],
  ['with options named once', 'const runs = propertyRuns(500); fc.assert(fc.property(a, b), runs);', 0],
])('a property %s is seen as such', (_what, text, fixed) => {
  expect(fixedProperties(text)).toBe(fixed);
});
