import { expect, test } from 'vitest';
import { nextStepOf } from '#shared/uploads/locked-field.ts';

test('what was skipped has no next step', () => {
  expect(nextStepOf({ reason: 'OVERLAP' })).toBeUndefined();
  expect(nextStepOf(undefined)).toBeUndefined();
});
