import { expect, test } from 'vitest';
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';

test('an event has its instants as the people of the stage read them, beside those for programs', async () => {
  const sent: object[] = [];
  const client = createEventBridgeClient();
  client.middlewareStack.add(
    () =>
      async ({ input }) => {
        sent.push(input);
        return { output: { $metadata: {}, Entries: [] }, response: undefined };
      },
    { step: 'initialize' },
  );
  const stage = { EVENT_BUS_NAME: 'bus', STAGE_TIME_ZONE: 'Europe/Dublin' };
  const detail = { eventId: 'e', run: 'nightly', startAt: '2026-07-01T21:00:00.000Z', at: '2026-12-05T02:50:00Z' };

  await createOutcomeBus(() => client, stage).publish(eventTypes.campaignRunFailed, detail);

  const times = { startAt: 'Wed 1 Jul 22:00', at: 'Sat 5 Dec 02:50' };
  expect(sent).toEqual([{ Entries: [expect.objectContaining({ Detail: JSON.stringify({ ...detail, times }) })] }]);
});
