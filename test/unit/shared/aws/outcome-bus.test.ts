import type { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';

test('an event has its instants as the people of the stage read them, beside those for programs', async () => {
  const sent: PutEventsCommand[] = [];
  const client = {
    async send(command: PutEventsCommand) {
      sent.push(command);
      return {};
    },
  };
  const stage = { EVENT_BUS_NAME: 'bus', STAGE_TIME_ZONE: 'Europe/Dublin' };
  const detail = { eventId: 'e', run: 'nightly', startAt: '2026-07-01T21:00:00.000Z', at: '2026-12-05T02:50:00Z' };

  await createOutcomeBus(() => client as unknown as EventBridgeClient, stage).publish(
    eventTypes.campaignRunFailed,
    detail,
  );

  expect(JSON.parse(sent[0]?.input.Entries?.[0]?.Detail ?? '')).toEqual({
    ...detail,
    times: { startAt: 'Wed 1 Jul 22:00', at: 'Sat 5 Dec 02:50' },
  });
});
