/** What `LinkTester` alone cannot do, by the template. What its role has sent: taken-over.long.test.ts. */
import { describe, expect, test } from 'vitest';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { linkTestName } from '#shared/messages/link-test.ts';
import { developerKey } from '../../builders/developer-key.ts';
import { withDocument } from '../stacks/stage-with.ts';
import { withStage } from '../template.ts';

const template = await withDocument({}, 'prod', async (configuration) =>
  withStage(configuration, (app) => readAssembly(app.synth().directory)),
);
const authority: Authority = createAuthority(template, developerKey);
const group = 'gateway-autopilot-prod';

function here(service: string, rest: string): string {
  return `arn:aws:${service}:${template.region}:${template.accountId}:${rest}`;
}

function arnsOf(type: string): readonly string[] {
  return resourcesOfType(template, type).map(({ arn = '' }) => arn);
}

/** The roles that it may pass to a service. */
function passed(service: string): readonly string[] {
  return resourcesOfType(template, 'AWS::IAM::Role')
    .filter(({ arn = '' }) => mayDo('iam:PassRole', arn, { 'iam:PassedToService': service }))
    .map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''));
}

describe('alone', () => {
  test.each<readonly [string, readonly string[], () => readonly string[]]>([
    [
      'unsubscribes no address and subscribes nothing',
      ['sns:Unsubscribe', 'sns:Subscribe'],
      () => arnsOf('AWS::SNS::Topic'),
    ],
    [
      'makes and opens no queue, and sends and takes no message',
      ['CreateQueue', 'SetQueueAttributes', 'AddPermission', 'SendMessage', 'ReceiveMessage', 'PurgeQueue'].map(
        (name) => `sqs:${name}`,
      ),
      () => [here('sqs', `${linkTestName}x`), ...arnsOf('AWS::SQS::Queue')],
    ],
    [
      'makes, changes and deletes no rule',
      ['PutRule', 'PutTargets', 'RemoveTargets', 'DisableRule', 'DeleteRule', 'PutEvents'].map(
        (name) => `events:${name}`,
      ),
      () => [here('events', `rule/${group}/${linkTestName}x`), ...arnsOf('AWS::Events::Rule')],
    ],
    [
      'changes and deletes no schedule, and makes none of another name',
      ['scheduler:UpdateSchedule', 'scheduler:DeleteSchedule', 'scheduler:CreateSchedule'],
      () => [here('scheduler', `schedule/${group}/weeknights`), ...arnsOf('AWS::Scheduler::Schedule')],
    ],
    [
      'deletes no file, calls no function, writes no row',
      ['s3:DeleteObjectVersion', 's3:PutObject', 'lambda:InvokeFunction', 'dynamodb:PutItem'],
      () => [
        ...arnsOf('AWS::S3::Bucket').map((arn) => `${arn}/datasets/a.csv`),
        ...arnsOf('AWS::Lambda::Function'),
        ...arnsOf('AWS::DynamoDB::Table'),
      ],
    ],
  ])('it %s', (_what, actions, resources) => {
    expect(resources().length).toBeGreaterThan(0);
    expect(resources().flatMap((resource) => actions.filter((action) => mayDo(action, resource)))).toEqual([]);
  });

  test('it passes its own role to Scheduler, no other role, and to no other service', () => {
    expect(passed('scheduler.amazonaws.com')).toEqual(['LinkTesterRole']);
    expect(passed('lambda.amazonaws.com')).toEqual([]);
  });
});

function mayDo(action: string, resource: string, context: Record<string, string> = {}): boolean {
  return authority.authorize({ caller: authority.personCaller('LinkTester'), action, resource, context }).allowed;
}
