import { describe, expect, test } from 'vitest';
import { nextStepOf } from '#shared/uploads/locked-field.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';

const closes =
  'under the same key, then resolve --dismiss --superseded; an upload that is not wanted: resolve --dismiss';

// The next step said to correct the file, which was right.
describe('the next step of an upload that sets a field which its rule locks', () => {
  test.each([
    [
      { place: 'metadata', field: 'scannerPackageId' },
      `upload the file again without scannerPackageId in its metadata (--scanner-package-id), ${closes}`,
    ],
    [{ place: 'sidecar', field: 'name' }, `upload its sidecar without name and then the file again, each ${closes}`],
  ] as const)('of %j is to leave it out', (locked, nextStep) => {
    expect(nextStepOf({ reason: 'CHECK_FAILED', locked })).toBe(nextStep);
  });
});

test.each([{ reason: 'CHECK_FAILED' }, { reason: 'VALIDATION' }] as const)(
  'the next step of %j is that of its reason',
  (outcome) => {
    expect(nextStepOf(outcome)).toBe(parkReasons[outcome.reason].nextStep);
  },
);

test('what was skipped has no next step', () => {
  expect(nextStepOf({ reason: 'OVERLAP' })).toBeUndefined();
  expect(nextStepOf(undefined)).toBeUndefined();
});
