import { readFile } from 'node:fs/promises';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOptions } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { configurations, type StackTemplate, type StageTemplates, synthesize } from '../template.ts';
import { grantedIn, unreadPolicies } from './granted.ts';
import { grantTables } from './grant-tables.ts';
import { freshSecurityDocument, securityPath } from './security-document.ts';
import { conditionWords, resourceWords } from './words.ts';

afterAll(stop);

const anyCode = { filesUsing: () => ['shared/aws/queue.ts'] };

test('the tables of docs/security.md are those of the templates (if not: npm run docs -- security, and read the difference)', async () => {
  const written = await readFile(securityPath, 'utf8');

  expect(written).toBe(await freshSecurityDocument());
});

describe.each(['example', 'chaos', 'all options'] as const)('in the templates of %s', (name) => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage =
      name === 'all options'
        ? await stageWith(
            { ...allOptions, deployment: { ...allOptions.deployment, encryption: 'customer-managed' } },
            'prod',
          )
        : await synthesize(configurations[name]);
  });

  test('each permission has a reason, and each reason a permission', () => {
    const { granted, idleReasons } = grantedIn(stage);
    const unreasoned = granted.filter(({ why }) => why === '').map(({ to, action }) => ({ to, action }));

    expect(unreasoned).toEqual([]);
    expect(idleReasons).toEqual([]);
    expect(granted.length).toBeGreaterThan(90);
  });

  test('nothing is allowed in a way that the tables do not read', () => {
    expect(unreadPolicies(stage)).toEqual([]);
  });
});

test('the stage that the tests run allows what a deployed one allows', async () => {
  const [prod, chaos] = await Promise.all([synthesize(configurations.example), synthesize(configurations.chaos)]);

  const named = grantTables(chaos, anyCode).replaceAll(/(autopilot)-chaos/gi, '$1-prod');
  expect(named).toBe(grantTables(prod, anyCode));
});

describe('a template with something more', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
  });

  const withResource = (type: string, properties: StackTemplate['resources'][string]['Properties']): StageTemplates => {
    const resources = { ...stage.workers.resources, More: { Type: type, Properties: properties } };
    return { ...stage, workers: { ...stage.workers, resources } };
  };
  const send = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*' };

  test('has no table without a reason, or if no code uses it', () => {
    const role = Object.keys(stage.workers.resources).find((id) => id.startsWith('WatchProjectsFunctionRole')) ?? '';
    const more = withResource('AWS::IAM::Policy', { Roles: [{ Ref: role }], PolicyDocument: { Statement: [send] } });

    expect(() => grantTables(more, anyCode)).toThrow(
      'there is no reason why watch-projects may sqs:SendMessage on everything',
    );
    expect(() => grantTables(stage, { filesUsing: () => [] })).toThrow(/^no code of update-campaign-runs uses \w+:/);
  });

  test.each([
    ['AWS::IAM::Role', { Policies: [{ PolicyName: 'inline', PolicyDocument: { Statement: [send] } }] }],
    ['AWS::IAM::Role', { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }],
    ['AWS::Lambda::Permission', { Action: 'lambda:InvokeFunction', Principal: '*' }],
    ['AWS::SQS::QueuePolicy', { PolicyDocument: { Statement: [{ ...send, Principal: '*' }] } }],
    ['AWS::Events::EventBusPolicy', { Statement: { ...send, Principal: '*' } }],
  ])('is seen where the tables do not read it: %s %j', (type, properties) => {
    expect(unreadPolicies(withResource(type, properties))).toEqual([`${type} More`]);
  });

  test('a resource or a condition without words is an error, not a gap', () => {
    expect(() => resourceWords({ Ref: 'Nothing' }, stage)).toThrow('no words for the resource');
    expect(() => conditionWords({ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, stage)).toThrow(
      'no words for the operator',
    );
  });
});
