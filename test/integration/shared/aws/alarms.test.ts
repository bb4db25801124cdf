/** Alarms of CloudWatch over its wire: what is asked, and what is read. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createAlarms } from '#shared/aws/alarms-and-calendars.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { answering } from '../gateway-client/clients.ts';

const arnOf = (name: string) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;

/** Alarms of a CloudWatch that answers this, and what it was asked. */
async function cloudWatch(body: object, status = 200) {
  const { baseUrl, requests } = await answering(status, body);
  const { statesOf } = createAlarms(() => new SQSClient({ region: 'eu-west-1', credentials: developerKey }), baseUrl);
  return { statesOf, requests };
}

test('alarms are asked for by their names, composite ones too, and told by their ARNs', async () => {
  const metric = { AlarmName: 'a', AlarmArn: arnOf('a'), StateValue: 'ALARM' };
  const composite = { AlarmName: 'b:c', AlarmArn: arnOf('b:c'), StateValue: 'INSUFFICIENT_DATA' };
  const { statesOf, requests } = await cloudWatch({ MetricAlarms: [metric], CompositeAlarms: [composite] });

  expect(await statesOf([arnOf('a'), arnOf('b:c'), arnOf('gone')])).toEqual({
    [arnOf('a')]: 'ALARM',
    [arnOf('b:c')]: 'INSUFFICIENT_DATA',
  });
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
    { AlarmNames: ['a', 'b:c', 'gone'], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'], MaxRecords: 100 },
  ]);
  expect(requests[0]?.headers).toHaveProperty('x-amz-target', 'GraniteServiceVersion20100801.DescribeAlarms');
});

test('an alarm of the same name in another account has no state', async () => {
  const other = { AlarmArn: 'arn:aws:cloudwatch:eu-west-1:210987654321:alarm:a', StateValue: 'OK' };
  const { statesOf } = await cloudWatch({ MetricAlarms: [other] });

  expect((await statesOf([arnOf('a')]))[arnOf('a')]).toBeUndefined();
});

test('more than a hundred alarms are asked for in two requests', async () => {
  const { statesOf, requests } = await cloudWatch({});
  await statesOf(Array.from({ length: 101 }, (_, index) => arnOf(`a${index}`)));

  expect(requests).toHaveLength(2);
});

test('a refusal says what was asked and what CloudWatch answered', async () => {
  const message = 'not authorized to perform: cloudwatch:DescribeAlarms';
  const { statesOf } = await cloudWatch({ __type: 'AccessDenied', message }, 400);

  await expect(statesOf([arnOf('a')])).rejects.toThrow(`DescribeAlarms answered 400 AccessDenied: ${message}`);
});
