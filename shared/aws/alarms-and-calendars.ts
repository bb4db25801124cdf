/**
 * What alarms and change calendars say: one signed request each, since a client of their service
 * would be a tenth of a bundle.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AppError } from '../errors/app-error.ts';
import { alarmNameOf } from '../ledger/switches.ts';
import { signedFetch } from '../net/request-signature.ts';

/** Any client: it knows the credentials. */
type Credentials = () => Pick<SQSClient, 'config'>;

type Answer = Readonly<Record<string, unknown>>;

/** A tick has a minute; what does not answer is asked again by the next one. */
const timeoutMs = 5000;

/** A caller of one operation: it throws an AppError with what the service says if that refuses. */
function createJsonCaller(
  client: Credentials,
  endpoint: string | undefined,
  { service, target, contentType }: Readonly<Record<'service' | 'target' | 'contentType', string>>,
): (arn: string, body: object) => Promise<Answer> {
  return async (arn, content) => {
    const [, partition, , region = ''] = arn.split(':');
    const url = endpoint ?? `https://${service}.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
    const { sessionToken, ...key } = await client().config.credentials();
    const headers = {
      'content-type': contentType,
      'x-amz-target': target,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const request = { method: 'POST', url: '/', headers, body: JSON.stringify(content) };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await signedFetch(url, request, { key, region, service, signal });
    const answer = parsed(await response.text());
    if (response.status === 200) return answer;
    const says = [answer['__type'], answer['message']].filter((part) => typeof part === 'string').join(': ');
    const problem = `${target.split('.').at(-1)} answered ${response.status} ${says}`;
    throw new AppError(problem.trim(), { code: 'AWS_REFUSED', retryable: true });
  };
}

function parsed(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The state of an alarm in CloudWatch's words. */
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** Reads the alarms of the stage's account and region. */
export interface Alarms {
  /** The states by ARN; one that is not in this account and region has none. */
  readonly statesOf: (arns: readonly string[]) => Promise<Readonly<Record<string, AlarmState | undefined>>>;
}

/** DescribeAlarms takes and answers so many (DescribeAlarms, Amazon CloudWatch API Reference). */
const mostAtOnce = 100;

/** The alarms of an account. */
export function createAlarms(client: Credentials, endpoint: string | undefined): Alarms {
  const describe = createJsonCaller(client, endpoint, describeAlarms);
  return {
    async statesOf(arns) {
      const states: Record<string, AlarmState | undefined> = {};
      for (let from = 0; from < arns.length; from += mostAtOnce) {
        const asked = arns.slice(from, from + mostAtOnce);
        // Without their type composite alarms are left out.
        const types = { AlarmTypes: ['MetricAlarm', 'CompositeAlarm'], MaxRecords: mostAtOnce };
        const body = { AlarmNames: asked.map(alarmNameOf), ...types };
        const { MetricAlarms, CompositeAlarms } = await describe(asked[0] ?? '', body);
        Object.assign(states, statesIn(MetricAlarms), statesIn(CompositeAlarms));
      }
      return states;
    },
  };
}

const describeAlarms = {
  service: 'monitoring',
  target: 'GraniteServiceVersion20100801.DescribeAlarms',
  contentType: 'application/x-amz-json-1.0',
};

function statesIn(alarms: unknown): Record<string, AlarmState> {
  const list: readonly unknown[] = Array.isArray(alarms) ? alarms : [];
  const found = list.flatMap((alarm) => {
    if (typeof alarm !== 'object' || alarm === null || !('AlarmArn' in alarm && 'StateValue' in alarm)) return [];
    const { AlarmArn: arn, StateValue: state } = alarm;
    return typeof arn === 'string' && isState(state) ? [[arn, state] as const] : [];
  });
  return Object.fromEntries(found);
}

function isState(value: unknown): value is AlarmState {
  return value === 'OK' || value === 'ALARM' || value === 'INSUFFICIENT_DATA';
}

/** A calendar at a time. */
export interface CalendarState {
  readonly isOpen: boolean;
  /** When it changes next. Absent: nothing is entered after this time. */
  readonly changesAt?: Date;
}

/** Reads calendars by their ARN. */
export interface ChangeCalendars {
  /** @throws AppError if it cannot be read */
  readonly stateAt: (arn: string, at: Date) => Promise<CalendarState>;
}

/** The calendars of an account. */
export function createChangeCalendars(client: Credentials, endpoint: string | undefined): ChangeCalendars {
  const getState = createJsonCaller(client, endpoint, getCalendarState);
  return {
    stateAt: async (arn, at) => stateIn(await getState(arn, { CalendarNames: [arn], AtTime: at.toISOString() })),
  };
}

const getCalendarState = {
  service: 'ssm',
  target: 'AmazonSSM.GetCalendarState',
  contentType: 'application/x-amz-json-1.1',
};

function stateIn({ State: state, NextTransitionTime: next }: Readonly<Record<string, unknown>>): CalendarState {
  if (state !== 'OPEN' && state !== 'CLOSED') {
    throw new AppError('GetCalendarState answered without a state', { code: 'CALENDAR_UNREAD', retryable: true });
  }
  const changesAt = typeof next === 'string' && !Number.isNaN(Date.parse(next)) ? new Date(next) : undefined;
  return { isOpen: state === 'OPEN', changesAt };
}
