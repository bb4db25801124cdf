import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { compilePolicy, evaluatePolicy } from '#local/aws/iam/policy.ts';
import { configurations, type StageTemplates, synthesize } from '../template.ts';

let templates: StageTemplates;

beforeAll(async () => {
  templates = await synthesize(configurations.example);
});

/** The first policy of a document that holds some words. */
function policyIn(path: string, words: string) {
  const blocks = readFileSync(path, 'utf8')
    .split('\n')
    .reduce<string[]>(
      (found, line) =>
        /^(?: {4}| *[{}[\]"])/.test(line) ? [...found.slice(0, -1), `${found.at(-1)}\n${line}`] : [...found, ''],
      [''],
    );
  const block = blocks.find((one) => one.includes(words)) ?? '';
  const parsed = JSON.parse(block);
  return compilePolicy('Statement' in parsed ? parsed : { Statement: [parsed] }, path);
}

const stack = (name: string) => `arn:aws:cloudformation:REGION:ACCOUNT:stack/GatewayAutopilot-prod-${name}/1`;

const may = (policy: ReturnType<typeof policyIn>, action: string, resource: string) =>
  evaluatePolicy(policy, { action, resource, context: {} }) === 'allow';

test('the role that shows the difference of a pull request reads two stacks, and no data of theirs', () => {
  const policy = policyIn('create/template/README.md', 'cloudformation:GetTemplate');

  for (const name of ['State', 'Workers']) {
    expect(may(policy, 'cloudformation:GetTemplate', stack(name))).toBe(true);
    expect(may(policy, 'cloudformation:DescribeStacks', stack(name))).toBe(true);
  }
  expect(may(policy, 'cloudformation:GetTemplate', stack('Other'))).toBe(false);
  for (const [action, resource] of [
    ['cloudformation:CreateChangeSet', stack('State')],
    ['sts:AssumeRole', 'arn:aws:iam::ACCOUNT:role/cdk-hnb659fds-lookup-role-ACCOUNT-REGION'],
    ['s3:GetObject', 'arn:aws:s3:::gateway-autopilot-prod/datasets/x'],
    ['dynamodb:GetItem', 'arn:aws:dynamodb:REGION:ACCOUNT:table/x'],
  ] as const) {
    expect(may(policy, action, resource), action).toBe(false);
  }
});

test('the policy for CloudFormation is enough for every kind of resource, and for no role of another product', () => {
  const policy = policyIn('docs/deploying.md', '"iam:*"');
  const services = [templates.state, templates.workers]
    .flatMap(({ resources }) => Object.values(resources).map(({ Type }) => Type.split('::')[1]?.toLowerCase() ?? ''))
    .filter((service) => service !== 'iam' && service !== 'cdk');

  for (const service of new Set(services)) expect(may(policy, `${service}:CreateIt`, '*'), service).toBe(true);
  expect(may(policy, 'iam:CreateRole', 'arn:aws:iam::1:role/GatewayAutopilot-prod-Workers-X')).toBe(true);
  expect(may(policy, 'iam:CreateRole', 'arn:aws:iam::1:role/another')).toBe(false);
  expect(may(policy, 'iam:PutUserPolicy', 'arn:aws:iam::1:user/ann')).toBe(false);
  expect(may(policy, 'sts:AssumeRole', 'arn:aws:iam::1:role/another')).toBe(false);
});
