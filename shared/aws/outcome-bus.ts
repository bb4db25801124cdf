import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { AppError } from '../errors/app-error.ts';
import { wallClockAt } from '../schedule/time-zone.ts';
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

/** The bus of a stage, and the time zone by which its people read times. */
interface BusOfStage {
  readonly EVENT_BUS_NAME: string;
  /** @default UTC */
  readonly STAGE_TIME_ZONE?: string;
}

/**
 * The bus of a stage; the client is asked for when something is published. Each event also has its instants in words, in `times`, since a
 * template of EventBridge writes a field as it is.
 */
export function createOutcomeBus(client: () => EventBridgeClient, stage: BusOfStage): OutcomePublisher {
  const { EVENT_BUS_NAME: busName, STAGE_TIME_ZONE: zone = 'UTC' } = stage;
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
  const instants = Object.entries(event).flatMap(([name, value]) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? [[name, Date.parse(value)] as const] : [],
  );
  return Object.fromEntries(
    instants.map(([name, at]) => {
      const [day = '', date, month, , time = ''] = new Date(wallClockAt(at, zone)).toUTCString().split(' ');
      return [name, `${day.slice(0, 3)} ${Number(date)} ${month} ${time.slice(0, 5)}`];
    }),
  );
}

/** A client of EventBridge. */
export function createEventBridgeClient(settings: ClientSettings = {}): EventBridgeClient {
  return new EventBridgeClient(settings);
}
