import { expect, test } from 'vitest';
import { parkReasons, type ReasonCode, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { appliedScenarios, skippedScenarios, supersededScenarios } from './command-scenarios.ts';
import { parkedScenarios } from './parked-scenarios.ts';
import { reasonsOf, recordOutcomes } from './recorded-outcomes.ts';

test.each([
  ['applied', appliedScenarios],
  ['superseded', supersededScenarios],
  ['skipped', skippedScenarios],
  ['parked', parkedScenarios],
])('commands that end %s are recorded and published as before', async (kind, scenarios) => {
  await expect(await recordOutcomes(scenarios)).toMatchFileSnapshot(`files/outcomes-${kind}.txt`);
});

/** Codes that only other workers give. */
const ofOtherWorkers: readonly ReasonCode[] = [
  'POST_OUTCOME_UNKNOWN',
  'APPLIED_ID_UNKNOWN',
  'CHECK_FAILED',
  'DUPLICATE_SUSPECTED',
  'BAD_KEY',
  'FOREIGN_EVENT',
  'OBJECT_GONE',
  'OBJECT_TOO_LARGE',
  'FILE_ID_MISSING',
  'SIDECAR_MISSING',
  'BAD_SIDECAR',
  'WORKER_DIED',
  'DUPLICATE_CONTENT',
  'SUPERSEDED_VERSION',
];

test('each reason code that the worker can give has its scenario', async () => {
  const others = new Set<string>(ofOtherWorkers);
  const own = [...Object.keys(parkReasons), ...Object.keys(skipReasons)].filter((code) => !others.has(code));

  expect(await reasonsOf([...parkedScenarios, ...skippedScenarios])).toEqual(own.toSorted());
});
