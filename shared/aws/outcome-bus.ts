import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { AppError } from '../errors/app-error.ts';
import { dayAndTime } from '../schedule/written-times.ts';
import { eventSource, type EventType } from '../vocabulary/resource-names.ts';
import type { ClientSettings } from './client-settings.ts';

/** The detail of an event; `eventId` is the same for every repeat of it. */
export interface OutcomeEvent {
  readonly eventId: string;
  readonly [field: string]: unknown;
}

/** Puts events on the outcome bus: what people and programs react to. */
export interface OutcomePublisher {
  /** @throws AppError when the bus did not take it: the work is repeated, under the same eventId */
  readonly publish: (type: EventType, detail: OutcomeEvent) => Promise<void>;
}

/**
 * The bus of a stage; the client is asked for when something is published. Each event also has its instants in words, in `times`, since a
 * template of EventBridge writes a field as it is.
 */
export function createOutcomeBus(
  client: () => EventBridgeClient,
  { EVENT_BUS_NAME: busName, STAGE_TIME_ZONE: zone }: Readonly<Record<'EVENT_BUS_NAME' | 'STAGE_TIME_ZONE', string>>,
): OutcomePublisher {
  return {
    async publish(type, event) {
      const detail = { ...event, times: instantsIn(event, zone) };
      const answer = await client().send(
        new PutEventsCommand({
          Entries: [{ EventBusName: busName, Source: eventSource, DetailType: type, Detail: JSON.stringify(detail) }],
        }),
      );
      const [entry] = answer.Entries ?? [];
      // PutEvents answers 200 even if it took nothing.
      if ((answer.FailedEntryCount ?? 0) > 0) {
        throw new AppError(
          `the bus ${busName} refused ${type} ${event.eventId}: ${entry?.ErrorCode}: ${entry?.ErrorMessage}`,
          { code: 'EVENT_REFUSED', retryable: true },
        );
      }
    },
  };
}

/** `Mon 30 Nov 22:00` of each field that is an instant. */
function instantsIn(event: OutcomeEvent, zone: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(event).flatMap(([name, value]) => {
      if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return [];
      const at = Date.parse(value);
      return [[name, dayAndTime(at, zone, at)]];
    }),
  );
}

/** A client of EventBridge. */
export function createEventBridgeClient(settings: ClientSettings = {}): EventBridgeClient {
  return new EventBridgeClient(settings);
}
