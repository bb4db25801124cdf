/** The rules by which alarms that campaigns halt on call the watcher. */
import { beforeAll, expect, test } from 'vitest';
import { compileEventPattern } from '#local/aws/events/rules.ts';
import { asObject } from '#local/template/json.ts';
import { halting } from '../security/security-document.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { ofType, type StageTemplates } from '../template.ts';

const arn = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx';

let stage: StageTemplates;

beforeAll(async () => {
  stage = await stageWith({ campaigns: halting() }, 'prod');
});

const event = (resource: string) => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  resources: [resource],
});

test('a change of its alarm calls the watcher with a tick, and a change of another one does not', () => {
  const rules = ofType(stage.workers, 'AWS::Events::Rule').filter(([id]) => id.includes('HaltOn'));

  expect(rules.length).toBeGreaterThan(0);
  for (const [id, { Properties }] of rules) {
    const matches = compileEventPattern(asObject(Properties['EventPattern']), id);
    expect([matches(event(arn)), matches(event(`${arn}-too`))]).toEqual([true, false]);
    expect(Properties['Targets']).toMatchObject([{ Input: '{"tick":"watch-campaigns"}' }]);
  }
});

test('the rules of this account alone may call it', () => {
  const permissions = ofType(stage.workers, 'AWS::Lambda::Permission').filter(([id]) => id.includes('HaltOn'));

  expect(permissions.length).toBeGreaterThan(0);
  for (const [, { Properties }] of permissions) {
    expect(Properties).toMatchObject({
      Principal: 'events.amazonaws.com',
      SourceAccount: { Ref: 'AWS::AccountId' },
      SourceArn: expect.anything(),
    });
  }
});

test('a stage without alarms has no rule for them, and may not read any', async () => {
  const text = JSON.stringify((await stageWith({}, 'prod')).workers.resources);

  expect(text).not.toContain('HaltOn');
  expect(text).not.toContain('cloudwatch:DescribeAlarms');
});
