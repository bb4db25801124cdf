import { expect, test } from 'vitest';
import { retryMs } from '../../../../functions/update-campaign-runs/retry-delay.ts';
import type { CampaignRunCommand } from '../../../../shared/messages/campaign-run-command.ts';
import { aCommand, tenOClock } from './update-bench.ts';

const minutes = (count: number) => count * 60_000;

/** The longest wait of a command that was delivered ten times, so many minutes after ten o'clock. */
function longestRetryMs(command: CampaignRunCommand, minutesLater: number): number {
  const now = new Date(tenOClock + minutes(minutesLater));
  const record = { messageId: 'm', body: '', receiveCount: 10, sentAt: now, queueArn: 'arn' };
  const context = {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    now: () => now,
    remainingMs: () => 30_000,
    attemptId: 'a',
  };
  return retryMs({ command, record, context }, { random: () => 1 });
}

test.each([
  ['a start waits a quarter of what is left of its validity at most', 'start', 10, 5],
  [
    'a start whose time is over waits by its deliveries alone: only an answer that is missing keeps it',
    'start',
    31,
    60,
  ],
  ['an update waits by its deliveries alone', 'update', 10, 60],
  ['a stop waits a minute at most', 'stop', 10, 1],
] as const)('%s', (_promise, action, later, longest) => {
  expect(longestRetryMs(aCommand({ action, validFor: 'PT30M' }), later)).toBe(minutes(longest));
});
