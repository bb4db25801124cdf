import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { AppError } from '../errors/app-error.ts';
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

/** The bus of a stage by its name; the client is asked for when something is published. */
export function createOutcomeBus(client: () => EventBridgeClient, busName: string): OutcomePublisher {
  return {
    async publish(type, detail) {
      const answer = await client().send(
        new PutEventsCommand({
          Entries: [{ EventBusName: busName, Source: eventSource, DetailType: type, Detail: JSON.stringify(detail) }],
        }),
      );
      const [entry] = answer.Entries ?? [];
      // PutEvents answers 200 even if it took nothing.
      if ((answer.FailedEntryCount ?? 0) > 0) {
        throw new AppError(
          `the bus ${busName} refused ${type} ${detail.eventId}: ${entry?.ErrorCode}: ${entry?.ErrorMessage}`,
          { code: 'EVENT_REFUSED', retryable: true },
        );
      }
    },
  };
}

/** A client of EventBridge. */
export function createEventBridgeClient(settings: ClientSettings = {}): EventBridgeClient {
  return new EventBridgeClient(settings);
}
