/** Alarms of CloudWatch, as far as their state goes. */
import * as z from 'zod';
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

const found = z.array(z.object({ AlarmArn: z.string(), StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']) }));
const answer = z.object({ MetricAlarms: found.default([]), CompositeAlarms: found.default([]) });

/**
 * The alarms of an account.
 * @param endpoint - that of a stage on one machine
 */
export function createAlarms(client: Credentials, endpoint: string | undefined): Alarms {
  const describe = createJsonCaller(client, endpoint, describeAlarms);
  return {
    async statesOf(arns) {
      const states: Record<string, AlarmState> = {};
      for (let from = 0; from < arns.length; from += mostAtOnce) {
        const asked = arns.slice(from, from + mostAtOnce);
        // Without their type composite alarms are left out.
        const types = { AlarmTypes: ['MetricAlarm', 'CompositeAlarm'], MaxRecords: mostAtOnce };
        const body = { AlarmNames: asked.map(alarmNameOf), ...types };
        const { MetricAlarms, CompositeAlarms } = answer.parse(await describe(asked[0] ?? '', body));
        for (const { AlarmArn, StateValue } of [...MetricAlarms, ...CompositeAlarms]) states[AlarmArn] = StateValue;
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
