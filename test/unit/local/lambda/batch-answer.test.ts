import { describe, expect, test } from 'vitest';

import { judgeBatch } from '#local/lambda/mapping/handle-batch.ts';

const BATCH = ['m1', 'm2', 'm3'];

function failures(...ids: unknown[]): string {
  return JSON.stringify({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });
}

describe('with ReportBatchItemFailures', () => {
  test.each(['null', '{}', '""', '', failures(), '{"batchItemFailures":null}', '{"other":1}'])(
    'the answer %s means that the whole batch succeeded',
    (payload) => {
      expect(judgeBatch(BATCH, { payload }, true)).toEqual({ succeeded: BATCH, failed: [] });
    },
  );

  test('named messages stay, the others are done', () => {
    expect(judgeBatch(BATCH, { payload: failures('m2', 'm2') }, true)).toEqual({
      succeeded: ['m1', 'm3'],
      failed: ['m2'],
    });
    expect(judgeBatch(BATCH, { payload: failures('m3', 'm1', 'm2') }, true)).toEqual({ succeeded: [], failed: BATCH });
  });

  test.each([
    [failures('m1', 'stranger'), 'itemIdentifier "stranger" is no message of this batch'],
    [failures(''), 'a batch item failure has no itemIdentifier'],
    [failures(null), 'a batch item failure has no itemIdentifier'],
    ['{"batchItemFailures":[{"id":"m1"}]}', 'a batch item failure has no itemIdentifier'],
    ['{"batchItemFailures":["m1"]}', 'a batch item failure has no itemIdentifier'],
    ['{"batchItemFailures":"m1"}', 'batchItemFailures is not a list'],
    ['"all done"', 'the answer is not an object with batchItemFailures'],
    ['[]', 'the answer is not an object with batchItemFailures'],
    ['{"batch', 'the answer is not JSON'],
  ])('the answer %s fails the whole batch', (payload, problem) => {
    expect(judgeBatch(BATCH, { payload }, true)).toEqual({ succeeded: [], failed: BATCH, problem });
  });
});

test('a function error fails the whole batch, whatever else the answer says', () => {
  const answer = { payload: failures('m1'), functionError: 'Unhandled' };

  expect(judgeBatch(BATCH, answer, true)).toMatchObject({ succeeded: [], failed: BATCH });
  expect(judgeBatch(BATCH, answer, false)).toMatchObject({ succeeded: [], failed: BATCH });
});

test('[C7] without ReportBatchItemFailures the named failures are lost, as they are in AWS', () => {
  expect(judgeBatch(BATCH, { payload: failures('m1') }, false)).toEqual({ succeeded: BATCH, failed: [] });
});
