import { expect, test, vi } from 'vitest';
import { createEventInvocations } from '#local/lambda/event-invocations.ts';

/**
 * "Lambda retries an asynchronous invocation twice if the function returns an error. It retains events in a queue for up
 * to six hours", and discards an event that stays there for too long (AWS::Lambda::EventInvokeConfig, CloudFormation
 * User Guide). The age used to be ignored here.
 */
test.each([
  ['nothing else', {}, 3],
  ['no retries', { maximumRetryAttempts: 0 }, 1],
  ['an age that the first repeat would exceed', { maximumEventAgeMs: 0 }, 1],
  ['an age that no repeat exceeds', { maximumEventAgeMs: 3_600_000 }, 3],
])('an event that always fails, with %s configured', async (_what, settings, runs) => {
  const requestIds: string[] = [];
  const events = createEventInvocations({
    invoke: async (_name, payload, requestId) => {
      requestIds.push(requestId);
      return { requestId, payload, functionError: 'Unhandled' };
    },
    waitsMs: [0, 0],
  });

  const { requestId } = events.start('worker', '{}', settings);
  await vi.waitFor(() => expect(requestIds).toHaveLength(runs));
  await new Promise((resolve) => setTimeout(resolve, 20));

  expect(requestIds).toEqual(Array.from({ length: runs }, () => requestId));
});
