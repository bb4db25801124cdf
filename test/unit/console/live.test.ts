import { expect, test } from 'vitest';
import { createLive } from '#console/server/live.ts';
import type { NowAnswer } from '#console/api.ts';
import { calmNow } from './calm-now.ts';

const now = (asOf: string): NowAnswer => ({ ...calmNow, now: asOf, asOf });

// A freeze was seen nearly four seconds after it was made.
test('a change by a person is read and sent at once, whatever is left of the wait', async () => {
  let reads = 0;
  const live = createLive({
    read: async () => now(`${(reads += 1)}`),
    target: () => undefined,
    everyMs: 3_600_000,
  });
  const heard: string[] = [];
  const leave = live.listen(({ event, data }) => heard.push(event === 'now' ? data.asOf : event));
  await expect.poll(() => heard).toEqual(['1']);

  live.refresh();

  await expect.poll(() => heard).toEqual(['1', '2']);
  leave();
});
