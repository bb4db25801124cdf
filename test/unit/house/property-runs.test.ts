import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { propertyRuns } from '../../builders/property-runs.ts';
import { readProject } from '../architecture/read-project.ts';

test('a property tries its usual number of cases, or as many as FAST_CHECK_RUNS says', () => {
  vi.stubEnv('FAST_CHECK_RUNS', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());

  expect([propertyRuns(), propertyRuns(30)]).toEqual([100, 30]);
  vi.stubEnv('FAST_CHECK_RUNS', '7');
  expect([propertyRuns(), propertyRuns(30)]).toEqual([7, 7]);
});

/** The properties of a test file that a person cannot give more cases. */
function fixedProperties(text: string): number {
  const properties = text.match(/\bfc\.(?:assert|check)\(/g)?.length ?? 0;
  const runs = text.match(/\bnumRuns\b(?!: \d)/g)?.length ?? 0;
  return Math.max(0, properties - runs);
}

test('every property test obeys FAST_CHECK_RUNS', async () => {
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
  ['with the number of the helper', 'fc.assert(fc.property(a, b), { numRuns: propertyRuns(500) });', 0],
])('a property %s is seen as such', (_what, text, fixed) => {
  expect(fixedProperties(text)).toBe(fixed);
});
