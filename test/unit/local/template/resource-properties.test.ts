import { expect, test } from 'vitest';
import type { JsonObject } from '#local/template/json.ts';
import { propertyRows, unsupportedProperties } from '#local/template/resource-properties.ts';
import { RESOURCE_TYPES } from '#local/template/resource-types.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';

function unsupported(...properties: readonly [type: string, properties: JsonObject][]): readonly string[] {
  const Resources = Object.fromEntries(properties.map(([Type, Properties], n) => [`R${n}`, { Type, Properties }]));
  return unsupportedProperties(assemblyOf({ App: { Resources } }).resources);
}

test('every type that the runner does something with has a row', () => {
  const live = Object.entries(RESOURCE_TYPES).filter(([, { inert }]) => inert !== true);

  expect(live.map(([type]) => type).filter((type) => !Object.hasOwn(propertyRows, type))).toEqual([]);
});

test('what lies deeper is named with its place', () => {
  const plain = { Id: 'b', Arn: 'arn:aws:sqs:eu-west-1:000000000000:q' };
  const target = { ...plain, Id: 'a', RetryPolicy: { MaximumRetryAttempts: 1 } };
  const schedule = { ScheduleExpression: 'rate(1 hour)', Target: { Arn: plain.Arn, RoleArn: 'role' } };

  expect(
    unsupported(
      ['AWS::Events::Rule', { EventPattern: { source: ['a'] }, Targets: [plain, target] }],
      ['AWS::S3::Bucket', { NotificationConfiguration: { TopicConfigurations: [] } }],
      [
        'AWS::Scheduler::Schedule',
        { ...schedule, FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } },
      ],
    ),
  ).toEqual([
    'AWS::Events::Rule: Targets.RetryPolicy',
    'AWS::S3::Bucket: NotificationConfiguration.TopicConfigurations',
    'AWS::Scheduler::Schedule: FlexibleTimeWindow.MaximumWindowInMinutes',
  ]);
});

test('a value that AWS refuses is named with its place', () => {
  expect(() => unsupported(['AWS::SQS::Queue', { VisibilityTimeout: 43_201 }])).toThrow(
    'App/R0: VisibilityTimeout: Must be between 0 and 43200.',
  );
});
