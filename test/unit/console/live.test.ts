import { expect, test } from 'vitest';
import { createLive } from '#console/server/live.ts';
import { now } from '../../integration/console/page/facts.ts';

// A freeze was seen nearly four seconds after it was made.
test('a change by a person is read and sent at once, whatever is left of the wait', async () => {
  let reads = 0;
  const live = createLive({
    read: async () => ({ ...now, asOf: `${(reads += 1)}` }),
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
