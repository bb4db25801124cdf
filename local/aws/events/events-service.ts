/**
 * EventBridge: PutEvents on the buses of the template, their rules followed, the last events kept
 * to look at.
 */
import { randomUUID } from 'node:crypto';
import type { Authority, Caller } from '../iam/authority.ts';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  resourcesOfType,
} from '../../template/assembly.ts';
import {
  type AwsRequest,
  type AwsService,
  jsonBody,
  jsonResponse,
  notEmulated,
  type RefusedDelivery,
} from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import type { MadeResources } from '../storage/open-database.ts';
import type { ApiDestinations, DestinationFailure } from './api-destinations.ts';
import { openRuleBook } from './rule-operations.ts';
import { busName, type EventRule, type RuleTarget } from './rules.ts';

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

/** What the service needs. */
export interface EventsServiceOptions {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly made: MadeResources;
  readonly now: () => number;
  /**
   * Hands an event to a target; throws if the target is not there. A dead letter has attributes
   * that say why it is one.
   */
  readonly deliver: (targetArn: string, payload: string, attributes?: Readonly<Record<string, string>>) => void;
  /** Calls the address behind an API destination. */
  readonly destinations: ApiDestinations;
  readonly onDeliveryRefused: (refused: RefusedDelivery) => void;
}

/** EventBridge, and what passed through it. */
export interface EventsService extends AwsService {
  /** The last events, newest first. */
  recentEvents(): readonly RecordedEvent[];
  /** Puts an event of an AWS service on the default bus. */
  putOfAws(entry: JsonObject): void;
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

/** Creates the service. */
export function createEventsService(options: EventsServiceOptions): EventsService {
  const { assembly, authority } = options;
  const { region, accountId } = assembly;
  const buses = new Set(['default', ...resourcesOfType(assembly, 'AWS::Events::EventBus').map(({ name }) => name)]);
  const rules = openRuleBook({ assembly, made: options.made, hasBus: (name) => buses.has(name) });
  const recent: RecordedEvent[] = [];

  const callerOf = (rule: EventRule, { roleArn }: RuleTarget): Caller => {
    if (roleArn === undefined) return { kind: 'service', service: 'events.amazonaws.com' };
    if (!authority.canAssume(roleArn, 'events.amazonaws.com', contextOf(rule)))
      throw new Error(`events.amazonaws.com may not assume ${roleArn}`);
    return authority.roleCaller(roleArn, 'events');
  };
  const contextOf = (rule: EventRule) => ({ 'aws:SourceArn': rule.arn, 'aws:SourceAccount': accountId });
  const allow = (rule: EventRule, caller: Caller, targetArn: string): void => {
    const action = TARGET_ACTIONS[targetArn.split(':')[2] ?? ''] ?? 'unknown:Deliver';
    const decision = authority.authorize({ caller, action, resource: targetArn, context: contextOf(rule) });
    if (!decision.allowed) throw new Error(decision.message);
  };
  /** On AWS a delivery that fails is lost without a word if its target has no dead-letter queue. */
  const orRefused = (rule: EventRule, target: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      options.onDeliveryRefused({ from: 'events.amazonaws.com', source: rule.arn, target, message });
    }
  };
  const deadLetter = (rule: EventRule, target: RuleTarget, event: BusEvent, failure: DestinationFailure): void => {
    const { deadLetterArn } = target;
    if (deadLetterArn === undefined) return;
    orRefused(rule, deadLetterArn, () => {
      allow(rule, { kind: 'service', service: 'events.amazonaws.com' }, deadLetterArn);
      const attributes = { RULE_ARN: rule.arn, TARGET_ARN: target.arn, ...failure };
      options.deliver(deadLetterArn, JSON.stringify(event), attributes);
    });
  };
  const deliver = (rule: EventRule, target: RuleTarget, event: BusEvent): void =>
    orRefused(rule, target.arn, () => {
      const { arn } = target;
      allow(rule, callerOf(rule, target), arn);
      const payload = target.payload(event);
      if (!arn.includes(':api-destination/')) return options.deliver(arn, payload);
      const onGivenUp = (failure: DestinationFailure) => deadLetter(rule, target, event, failure);
      options.destinations.call({ arn, payload, onGivenUp });
    });
  const take = (bus: string, entry: JsonObject): BusEvent => {
    const event = toEvent(entry, options.now(), { region, accountId });
    recent.unshift({ bus, event });
    recent.splice(KEPT_EVENTS);
    for (const rule of rules.of(bus)) {
      if (!rule.matches(event)) continue;
      for (const target of rule.targets) deliver(rule, target, event);
    }
    return event;
  };
  const put = (entry: JsonObject, request: AwsRequest): JsonObject => {
    const bus = busName(entry['EventBusName']);
    request.require('events:PutEvents', `arn:aws:events:${region}:${accountId}:event-bus/${bus}`, {
      'events:source': asText(entry['Source']) ?? '',
      'events:detail-type': asText(entry['DetailType']) ?? '',
    });
    const problem = problemOf(entry);
    if (problem !== undefined) return problem;
    // AWS takes events for a bus that does not exist and drops them; here that is said.
    if (!buses.has(bus))
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${bus} does not exist.` };
    return { EventId: take(bus, entry).id };
  };

  return {
    name: 'events',
    protocol: 'json-1.1',
    recentEvents: () => recent,
    putOfAws: (entry) => void take('default', entry),
    handle(request) {
      const { operation } = request;
      const onRules = Object.hasOwn(rules.operations, operation) ? rules.operations[operation] : undefined;
      if (onRules !== undefined) return jsonResponse(onRules(jsonBody(request), request), { protocol: 'json-1.1' });
      if (operation !== 'PutEvents') throw notEmulated('events', operation);
      const entries = asList(jsonBody(request)['Entries']).map(asObject);
      if (entries.length < 1 || entries.length > 10)
        throw new AwsError('ValidationException', 'PutEvents takes one to ten entries.');
      const results = entries.map((entry) => put(entry, request));
      const failed = results.filter((result) => result['ErrorCode'] !== undefined).length;
      return jsonResponse({ FailedEntryCount: failed, Entries: results }, { protocol: 'json-1.1' });
    },
  };
}

function problemOf(entry: JsonObject): JsonObject | undefined {
  const missing = ['Source', 'DetailType', 'Detail'].find((key) => (asText(entry[key]) ?? '') === '');
  if (missing !== undefined)
    return {
      ErrorCode: 'InvalidArgument',
      ErrorMessage: `Parameter ${missing} is not valid. Reason: ${missing} is a required argument.`,
    };
  try {
    const detail: unknown = JSON.parse(asText(entry['Detail']) ?? '');
    if (isJsonObject(detail)) return undefined;
  } catch {
    // the same answer as for JSON that is no object
  }
  return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
}

function toEvent(entry: JsonObject, nowMs: number, place: { region: string; accountId: string }): BusEvent {
  const seconds = asNumber(entry['Time']);
  // EventBridge keeps whole seconds.
  const instant = new Date(Math.floor(seconds ?? nowMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
  const resources: Json[] = asList(entry['Resources']);
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': asText(entry['DetailType']) ?? '',
    source: asText(entry['Source']) ?? '',
    account: place.accountId,
    time: instant,
    region: place.region,
    resources,
    detail: parseJsonObject(asText(entry['Detail']) ?? '{}', 'Detail'),
  };
}
