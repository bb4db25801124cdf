/** Alarms of CloudWatch: those that the template's rules listen to. Each is OK until `autopilot alarm` moves it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import {
  asObject,
  isJsonObject,
  type JsonObject,
  type ResolvedAssembly,
  resourcesOfType,
  textsOf,
} from '../../template/assembly.ts';
import { type AwsService, jsonBody, jsonResponse, notEmulated } from '../wire/messages.ts';

const states = z.record(z.string(), z.enum(['OK', 'ALARM']));
type States = z.infer<typeof states>;

/** The alarms that campaigns halt on, by their names. */
export interface LocalAlarms {
  readonly all: () => States;
  /** Moves it and sends the event; `false` if no campaign halts on an alarm of this name. */
  readonly set: (name: string, state: States[string]) => boolean;
}

/** What the alarms need. */
export interface LocalAlarmsOptions {
  readonly assembly: ResolvedAssembly;
  /** Keeps the states. */
  readonly file: string;
  /** Puts an event of AWS on the default bus. */
  readonly put: (event: { source: string; detailType: string; resources: string[]; detail: JsonObject }) => void;
}

/** The alarms in a file of the stage's folder. */
export function openLocalAlarms({ assembly, file, put }: LocalAlarmsOptions): LocalAlarms {
  const arns = new Map(followedArns(assembly).map((arn) => [nameOf(arn), arn]));
  const kept = (): States => (existsSync(file) ? states.parse(JSON.parse(readFileSync(file, 'utf8'))) : {});
  const all = (): States => Object.fromEntries([...arns.keys()].map((name) => [name, kept()[name] ?? 'OK']));
  return {
    all,
    set(name, state) {
      const arn = arns.get(name);
      if (arn === undefined) return false;
      const before = all()[name] ?? 'OK';
      writeFileSync(`${file}.new`, JSON.stringify({ ...kept(), [name]: state }));
      renameSync(`${file}.new`, file);
      const detail = { alarmName: name, state: { value: state }, previousState: { value: before } };
      if (before !== state)
        put({ source: 'aws.cloudwatch', detailType: 'CloudWatch Alarm State Change', resources: [arn], detail });
      return true;
    },
  };
}

function followedArns(assembly: ResolvedAssembly): readonly string[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').flatMap(({ properties: { EventPattern: pattern } }) =>
    isJsonObject(pattern) && textsOf(pattern['source']).includes('aws.cloudwatch') ? textsOf(pattern['resources']) : [],
  );
}

function nameOf(arn: string): string {
  return arn.split(':').slice(6).join(':');
}

/** Answers DescribeAlarms by name. */
export function createAlarmService(assembly: ResolvedAssembly, alarms: Pick<LocalAlarms, 'all'>): AwsService {
  const arns = followedArns(assembly);
  return {
    name: 'monitoring',
    protocol: 'json-1.0',
    handle(request) {
      if (request.operation !== 'DescribeAlarms') throw notEmulated('monitoring', request.operation);
      request.require('cloudwatch:DescribeAlarms', '*');
      const names = textsOf(asObject(jsonBody(request))['AlarmNames']);
      const known = alarms.all();
      const found = [...new Set(arns)].filter((arn) => names.includes(nameOf(arn)));
      const MetricAlarms = found.map((arn) => {
        const name = nameOf(arn);
        return { AlarmName: name, AlarmArn: arn, StateValue: known[name] ?? 'OK' };
      });
      return jsonResponse({ MetricAlarms, CompositeAlarms: [] }, { protocol: 'json-1.0' });
    },
  };
}
