/** Alarms of CloudWatch, as far as their state goes. */
import { alarmNameOf } from '../ledger/switches.ts';
import { createJsonCaller, type Credentials } from './signed-json.ts';

/** The state of an alarm in CloudWatch's words. */
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** Reads the alarms of the stage's account and region. */
export interface Alarms {
  /**
   * The states by ARN; one that is not in this account and region has none.
   * @throws AppError if they cannot be read
   */
  readonly statesOf: (arns: readonly string[]) => Promise<Readonly<Record<string, AlarmState | undefined>>>;
}

/** DescribeAlarms takes and answers so many (DescribeAlarms, Amazon CloudWatch API Reference). */
const mostAtOnce = 100;

/**
 * The alarms of an account.
 * @param endpoint - that of a stage on one machine
 */
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
