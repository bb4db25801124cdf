/** Alarms of CloudWatch: those that the template's rules listen to. Each is OK until `autopilot alarm` moves it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { alarmNameOf } from '#shared/ledger/switches.ts';
import type { ResolvedAssembly } from '../../template/cloud-assembly.ts';
import { type JsonObject, textsOf } from '../../template/json.ts';
import { typedResources } from '../../template/resource-properties.ts';
import { jsonService, operation } from '../wire/operations.ts';

const states = z.record(z.string(), z.enum(['OK', 'ALARM']));
type State = z.infer<typeof states>[string];

/** The alarms that campaigns halt on, and the service that tells their states. */
export type LocalAlarms = ReturnType<typeof openLocalAlarms>;

const describeRow = z.looseObject({ AlarmNames: z.array(z.string()) });

/** An event of a service on the default bus. */
interface AlarmEvent {
  readonly Source: string;
  readonly DetailType: string;
  readonly Resources: string[];
  readonly Detail: JsonObject;
}

/**
 * Opens the alarms of the template.
 * @param file - keeps the states of those that were moved
 * @param putEvent - puts an event of AWS on the default bus
 */
export function openLocalAlarms(assembly: ResolvedAssembly, file: string, putEvent: (event: AlarmEvent) => void) {
  const patterns = typedResources(assembly, 'AWS::Events::Rule').map(({ typed }) => typed.EventPattern);
  const followed = patterns.filter(({ source }) => textsOf(source).includes('aws.cloudwatch'));
  const arns = new Map(followed.flatMap(({ resources }) => textsOf(resources).map((arn) => [alarmNameOf(arn), arn])));
  const moved = () => (existsSync(file) ? states.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});
  /** By their names. */
  const all = (): Readonly<Record<string, State>> => ({
    ...Object.fromEntries([...arns.keys()].map((name) => [name, 'OK' as const])),
    ...moved(),
  });
  const DescribeAlarms = operation(describeRow, ({ AlarmNames }, request) => {
    request.require('cloudwatch:DescribeAlarms', '*');
    const names = AlarmNames.filter((name) => arns.has(name));
    const MetricAlarms = names.map((name) => ({ AlarmArn: arns.get(name), StateValue: all()[name] }));
    return { MetricAlarms, CompositeAlarms: [] };
  });
  return {
    all,
    service: jsonService({ name: 'monitoring', operations: { DescribeAlarms } }),
    /** Moves it and sends the event; `false` if no campaign halts on an alarm of this name. */
    set(name: string, state: State): boolean {
      const arn = arns.get(name);
      if (arn === undefined) return false;
      writeFileSync(file, JSON.stringify({ ...moved(), [name]: state }));
      const Detail = { alarmName: name, state: { value: state } };
      putEvent({ Source: 'aws.cloudwatch', DetailType: 'CloudWatch Alarm State Change', Resources: [arn], Detail });
      return true;
    },
  };
}
