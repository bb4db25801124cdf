import { expect, test } from 'vitest';
import { type ParkReason, parkReasons, skipReasons } from '../../shared/vocabulary/reason-codes.ts';
import { appliedScenarios, parkedScenarios, skippedScenarios, supersededScenarios } from './command-scenarios.ts';
import { reasonsOf, recordOutcomes } from './recorded-outcomes.ts';

test.each([
  ['applied', appliedScenarios],
  ['superseded', supersededScenarios],
  ['skipped', skippedScenarios],
  ['parked', parkedScenarios],
])('commands that end %s are recorded and published as before', async (kind, scenarios) => {
  await expect(await recordOutcomes(scenarios)).toMatchFileSnapshot(`files/outcomes-${kind}.json`);
});

/** Codes with which only other workers park. */
const ofOtherWorkers: readonly ParkReason[] = [
  'POST_OUTCOME_UNKNOWN',
  'APPLIED_ID_UNKNOWN',
  'CHECK_FAILED',
  'DUPLICATE_SUSPECTED',
  'BAD_PLAN',
  'BAD_KEY',
  'FOREIGN_EVENT',
  'OBJECT_GONE',
  'OBJECT_TOO_LARGE',
  'FILE_ID_MISSING',
  'SIDECAR_MISSING',
  'BAD_SIDECAR',
  'WORKER_DIED',
  'CURSOR_LOOP',
];

test('each reason code that the worker can give has its scenario', async () => {
  const own = Object.keys(parkReasons).filter((code) => !ofOtherWorkers.some((other) => other === code));
  const skips = Object.keys(skipReasons).filter(
    (code) => code !== 'DUPLICATE_CONTENT' && code !== 'SUPERSEDED_VERSION',
  );

  expect(await reasonsOf(parkedScenarios)).toEqual(own.toSorted());
  expect(await reasonsOf(skippedScenarios)).toEqual(skips.toSorted());
});
