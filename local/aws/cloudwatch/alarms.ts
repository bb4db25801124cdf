/** Alarms of CloudWatch: those that the template's rules listen to. Each is OK until `autopilot alarm` moves it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { alarmNameOf } from '#shared/ledger/switches.ts';
import {
  asObject,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  resourcesOfType,
  textsOf,
} from '../../template/assembly.ts';
import type { EventsService } from '../events/events-service.ts';
import { type AwsService, jsonBody, jsonResponse, notEmulated } from '../wire/messages.ts';

/** The alarms that campaigns halt on, and the service that tells their states. */
export interface LocalAlarms {
  /** By their names: OK or ALARM. */
  readonly all: () => JsonObject;
  /** Moves it and sends the event; `false` if no campaign halts on an alarm of this name. */
  readonly set: (name: string, state: 'OK' | 'ALARM') => boolean;
  readonly service: AwsService;
}

/**
 * Opens the alarms of the template.
 * @param file - keeps the states of those that were moved
 * @param putEvent - puts an event of AWS on the default bus
 */
export function openLocalAlarms(
  assembly: ResolvedAssembly,
  file: string,
  putEvent: EventsService['putOfAws'],
): LocalAlarms {
  const patterns = resourcesOfType(assembly, 'AWS::Events::Rule').map((rule) =>
    asObject(rule.properties['EventPattern']),
  );
  const followed = patterns.filter(({ source }) => textsOf(source).includes('aws.cloudwatch'));
  const arns = new Map(followed.flatMap(({ resources }) => textsOf(resources).map((arn) => [alarmNameOf(arn), arn])));
  const moved = () => (existsSync(file) ? parseJsonObject(readFileSync(file, 'utf8'), file) : {});
  const all = () => ({ ...Object.fromEntries([...arns.keys()].map((name) => [name, 'OK'])), ...moved() });
  const service: AwsService = {
    name: 'monitoring',
    protocol: 'json-1.0',
    handle(request) {
      if (request.operation !== 'DescribeAlarms') throw notEmulated('monitoring', request.operation);
      request.require('cloudwatch:DescribeAlarms', '*');
      const names = textsOf(jsonBody(request)['AlarmNames']).filter((name) => arns.has(name));
      const MetricAlarms = names.map((name) => ({ AlarmArn: arns.get(name), StateValue: asObject(all())[name] }));
      return jsonResponse({ MetricAlarms, CompositeAlarms: [] }, { protocol: 'json-1.0' });
    },
  };
  return {
    all,
    service,
    set(name, state) {
      const arn = arns.get(name);
      if (arn === undefined) return false;
      writeFileSync(file, JSON.stringify({ ...moved(), [name]: state }));
      const Detail = { alarmName: name, state: { value: state } };
      putEvent({ Source: 'aws.cloudwatch', DetailType: 'CloudWatch Alarm State Change', Resources: [arn], Detail });
      return true;
    },
  };
}
