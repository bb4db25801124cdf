/** Alarms of CloudWatch over its wire: what is asked, and what is read. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { createAlarms } from '#shared/aws/signed-json.ts';
import { developerKey } from '../../../builders/developer-key.ts';

const arnOf = (name: string) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;

let server: Server;
let endpoint: string;
let asked: { readonly target: unknown; readonly body: unknown }[] = [];
let answer: { readonly status: number; readonly body: object };

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      asked.push({ target: request.headers['x-amz-target'], body: await json(request) });
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
});

beforeEach(() => {
  asked = [];
});

afterAll(() => void server.close());

const statesOf = async (...arns: readonly string[]) =>
  createAlarms(() => new SQSClient({ region: 'eu-west-1', credentials: developerKey }), endpoint).statesOf(arns);

test('alarms are asked for by their names, composite ones too, and told by their ARNs', async () => {
  const metric = { AlarmName: 'a', AlarmArn: arnOf('a'), StateValue: 'ALARM' };
  const composite = { AlarmName: 'b:c', AlarmArn: arnOf('b:c'), StateValue: 'INSUFFICIENT_DATA' };
  answer = { status: 200, body: { MetricAlarms: [metric], CompositeAlarms: [composite] } };

  expect(await statesOf(arnOf('a'), arnOf('b:c'), arnOf('gone'))).toEqual({
    [arnOf('a')]: 'ALARM',
    [arnOf('b:c')]: 'INSUFFICIENT_DATA',
  });
  expect(asked).toEqual([
    {
      target: 'GraniteServiceVersion20100801.DescribeAlarms',
      body: { AlarmNames: ['a', 'b:c', 'gone'], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'], MaxRecords: 100 },
    },
  ]);
});

test('an alarm of the same name in another account has no state', async () => {
  const other = { AlarmArn: 'arn:aws:cloudwatch:eu-west-1:210987654321:alarm:a', StateValue: 'OK' };
  answer = { status: 200, body: { MetricAlarms: [other] } };

  expect((await statesOf(arnOf('a')))[arnOf('a')]).toBeUndefined();
});

test('more than a hundred alarms are asked for in two requests', async () => {
  answer = { status: 200, body: {} };
  await statesOf(...Array.from({ length: 101 }, (_, index) => arnOf(`a${index}`)));

  expect(asked).toHaveLength(2);
});

test('a refusal says what was asked and what CloudWatch answered', async () => {
  answer = {
    status: 400,
    body: { __type: 'AccessDenied', message: 'not authorized to perform: cloudwatch:DescribeAlarms' },
  };

  await expect(statesOf(arnOf('a'))).rejects.toThrow(
    'DescribeAlarms answered 400 AccessDenied: not authorized to perform: cloudwatch:DescribeAlarms',
  );
});
