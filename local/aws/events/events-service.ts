/**
 * EventBridge: PutEvents on the buses of the template, their rules followed, the last events kept
 * to look at.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { arnIn, type ResolvedAssembly, resourcesOfType } from '../../template/cloud-assembly.ts';
import { isJsonObject, type JsonObject } from '../../template/json.ts';
import { type AwsStage, deliver } from '../services/aws-stage.ts';
import type { AwsRequest } from '../wire/aws-service.ts';
import { AwsError } from '../aws-error.ts';
import { jsonService, operation } from '../wire/operations.ts';
import { busName, compileRule, type EventRule, payloadOf, type RuleTarget, rulesOfTemplate } from './rules.ts';

/** An event as targets get it. */
interface BusEvent extends JsonObject {
  id: string;
  source: string;
  'detail-type': string;
  time: string;
  detail: JsonObject;
}

/** An event that a bus took. */
export interface RecordedEvent {
  readonly bus: string;
  readonly event: BusEvent;
}

/** Enough to look at; events are not state. */
const KEPT_EVENTS = 500;

/** What each kind of target must allow EventBridge to do. */
const TARGET_ACTIONS: Readonly<Record<string, string>> = {
  sqs: 'sqs:SendMessage',
  lambda: 'lambda:InvokeFunction',
  sns: 'sns:Publish',
  events: 'events:InvokeApiDestination',
};

/** Levels of the detail, and characters of its type (EventBridge API Reference, PutEvents, PutEventsRequestEntry). */
const mostLevels = 1000;
const longestDetailType = 128;

/** Bytes of all entries of a request (EventBridge User Guide, "Calculating PutEvents event entry size"). */
const mostBytes = 256 * 1024;

const detail = z.string('Detail is a required argument.').transform((text, context): JsonObject => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed) && levelsOf(text) <= mostLevels) return parsed;
  } catch {
    // the same answer as for JSON that is no object
  }
  context.addIssue({ code: 'custom', message: 'Detail is malformed.', params: { code: 'MalformedDetail' } });
  return z.NEVER;
});

const entryRow = z.strictObject({
  EventBusName: z.string().optional(),
  Source: z.string().min(1),
  DetailType: z.string().min(1).max(longestDetailType),
  Detail: detail,
  Resources: z.array(z.string()).default([]),
  /** In seconds. */
  Time: z.number().optional(),
});

const putRow = z.strictObject({
  Entries: z
    .array(z.looseObject({ EventBusName: z.string().optional() }))
    .min(1)
    .max(10),
});

/**
 * Creates the service.
 * @param hand - hands an event to a target; throws if the target is not there
 */
export function createEventsService(stage: AwsStage, hand: (targetArn: string, payload: string) => void) {
  const { assembly } = stage;
  const buses = new Set(['default', ...resourcesOfType(assembly, 'AWS::Events::EventBus').map(({ name }) => name)]);
  const rules = rulesOfTemplate(assembly).map(compileRule);
  const recent: RecordedEvent[] = [];

  const deliverTo = (target: RuleTarget, { arn: source }: EventRule, event: BusEvent): void => {
    const { Arn, RoleArn: roleArn } = target;
    const action = TARGET_ACTIONS[Arn.split(':')[2] ?? ''] ?? 'unknown:Deliver';
    const context = { 'aws:SourceArn': source, 'aws:SourceAccount': assembly.accountId };
    deliver(stage, { from: 'events.amazonaws.com', source, target: Arn, action, context, roleArn }, () =>
      hand(Arn, payloadOf(target, event)),
    );
  };
  const take = (bus: string, entry: z.output<typeof entryRow>): BusEvent => {
    const event = toEvent(entry, stage.now(), assembly);
    recent.unshift({ bus, event });
    recent.splice(KEPT_EVENTS);
    for (const rule of rules) {
      if (rule.bus !== bus || !rule.matches(event)) continue;
      for (const target of rule.targets) deliverTo(target, rule, event);
    }
    return event;
  };
  const put = (sent: z.output<typeof putRow>['Entries'][number], request: AwsRequest): JsonObject => {
    const bus = busName(sent.EventBusName);
    request.require('events:PutEvents', arnIn(assembly, 'events', `event-bus/${bus}`), {
      'events:source': String(sent['Source']),
      'events:detail-type': String(sent['DetailType']),
    });
    const { data: entry, error } = entryRow.safeParse(sent);
    if (entry === undefined) {
      const issue = error.issues[0];
      const isMalformed = issue?.code === 'custom';
      return {
        ErrorCode: isMalformed ? 'MalformedDetail' : 'InvalidArgument',
        ErrorMessage: `Parameter ${issue?.path.join('.')} is not valid. Reason: ${issue?.message}`,
      };
    }
    // AWS takes events for a bus that does not exist and drops them; here that is said.
    if (!buses.has(bus))
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${bus} does not exist.` };
    return { EventId: take(bus, entry).id };
  };

  const service = jsonService({
    name: 'events',
    operations: {
      PutEvents: operation(putRow, ({ Entries: sent }, request) => {
        if (sent.reduce((bytes, entry) => bytes + bytesOf(entry), 0) > mostBytes)
          throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
        const Entries = sent.map((entry) => put(entry, request));
        return { FailedEntryCount: Entries.filter(({ ErrorCode }) => ErrorCode !== undefined).length, Entries };
      }),
    },
  });
  return {
    service,
    /** The last events, newest first. */
    recentEvents: (): readonly RecordedEvent[] => recent,
    /** Puts an event of an AWS service on the default bus. */
    putOfAws: (entry: z.output<typeof entryRow>) => void take('default', entry),
  };
}

/** The deepest level of a text of JSON. */
function levelsOf(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const [mark] of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    level += mark === '[' || mark === '{' ? 1 : -1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

/** As the User Guide counts an entry; a time has 14 bytes. */
function bytesOf({ Time, EventBusName: _bus, ...texts }: Readonly<Record<string, unknown>>): number {
  const all = Object.values(texts).flat().map(String);
  return all.reduce((bytes, text) => bytes + Buffer.byteLength(text), Time === undefined ? 0 : 14);
}

function toEvent(entry: z.output<typeof entryRow>, nowMs: number, place: ResolvedAssembly): BusEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': entry.DetailType,
    source: entry.Source,
    account: place.accountId,
    // EventBridge keeps whole seconds.
    time: new Date(Math.floor(entry.Time ?? nowMs / 1000) * 1000).toISOString().replace('.000Z', 'Z'),
    region: place.region,
    resources: entry.Resources,
    detail: entry.Detail,
  };
}
