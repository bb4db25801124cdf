import { flatText } from '#infra/constructs/grant-actions.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { commonVariables, envContract } from '#shared/config/env-contract.ts';
import { checkCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { stateOutputs, workersOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { at, configurations, listOf, ofType, type StageTemplates, synthesize, targetOf, textAt } from '../template.ts';
import { statementsOf } from './state-of.ts';

describe.each(Object.entries(configurations))('every resource of %s', (name, configuration) => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configuration);
  });

  const functions = () => ofType(stage.workers, 'AWS::Lambda::Function');
  const queues = () => ofType(stage.state, 'AWS::SQS::Queue');
  const mappings = () => ofType(stage.workers, 'AWS::Lambda::EventSourceMapping');
  const schedules = () => ofType(stage.workers, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);

  test('each function runs Node 24 on arm64, logs into a group that forgets, and reserves no concurrency', () => {
    expect(functions()).toHaveLength(functionNames.length);
    for (const [id, { Properties }] of functions()) {
      expect([Properties['Runtime'], Properties['Architectures']], id).toEqual(['nodejs24.x', ['arm64']]);
      const group = stage.workers.resources[targetOf(at(Properties, 'LoggingConfig.LogGroup'), stage)];
      expect(group?.Properties['RetentionInDays'], id).toBe(90);
      expect(JSON.stringify(at(Properties, 'Environment') ?? ''), id).not.toContain('source-maps');
      expect(Properties, `${id} reserves concurrency, which small accounts refuse`).not.toHaveProperty(
        'ReservedConcurrentExecutions',
      );
    }
  });

  test('what has a name in the whole account carries the region, so that two regions may have a stage of one name', () => {
    const globalNames: Readonly<Record<string, string>> = {
      'AWS::CloudWatch::Dashboard': 'DashboardName',
      'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
      'AWS::IAM::Role': 'RoleName',
      'AWS::S3::Bucket': 'BucketName',
    };
    const names = [stage.state, stage.workers].flatMap((stack) =>
      Object.entries(globalNames).flatMap(([type, property]) =>
        ofType(stack, type).flatMap(([, { Properties }]) => Properties[property] ?? []),
      ),
    );

    expect(names.length).toBeGreaterThan(1); // what is not named here gets a name from CloudFormation that no other stack has
    for (const found of names) expect(flatText(found)).toContain('<AWS::Region>');
  });

  test('each function gets exactly the variables of its contract', () => {
    for (const functionName of functionNames) {
      const its = functions().find(([, one]) =>
        textAt(one.Properties, 'Description').startsWith(`${functionName} of `),
      );
      const variables = Object.keys(at(its?.[1].Properties, 'Environment.Variables') ?? {});
      expect(variables.toSorted(), functionName).toEqual([...commonVariables, ...envContract[functionName]].toSorted());
    }
  });

  test('each queue feeds a function, and no message waits for a batch to fill', () => {
    const fed = mappings().map(([, { Properties }]) => targetOf(Properties['EventSourceArn'], stage));
    expect(fed.toSorted()).toEqual(
      queues()
        .map(([id]) => id)
        .toSorted(),
    );
    for (const [id, { Properties }] of mappings()) expect(Properties['MaximumBatchingWindowInSeconds'], id).toBe(0);
  });

  test('[C7 F13] a mapping answers by record, leaves room to others, and its queue hides a message six times as long as its function works', () => {
    for (const [id, { Properties }] of mappings()) {
      const queue = stage.state.resources[targetOf(Properties['EventSourceArn'], stage)]?.Properties;
      const worker = stage.workers.resources[targetOf(Properties['FunctionName'], stage)]?.Properties;

      expect(Properties['FunctionResponseTypes'], id).toEqual(['ReportBatchItemFailures']);
      expect(Number(at(Properties, 'ScalingConfig.MaximumConcurrency')), id).toBeGreaterThanOrEqual(2);
      expect(Number(queue?.['VisibilityTimeout']), id).toBeGreaterThanOrEqual(6 * Number(worker?.['Timeout']));
    }
  });

  test('[C7 F13] another account’s bucket, rule or schedule is no deputy: a service is let in for one source of this account', () => {
    const policies = [stage.state, stage.workers].flatMap(({ resources }) =>
      Object.entries(resources).flatMap(([id, { Properties }]) =>
        ['PolicyDocument', 'AssumeRolePolicyDocument', 'ResourcePolicy'].flatMap((property) =>
          listOf(at(Properties, `${property}.Statement`)).map((statement) => ({ id, statement })),
        ),
      ),
    );
    const services = policies.filter(({ statement }) => at(statement, 'Principal.Service') !== undefined);
    // Lambda documents no source for taking on a role.
    const open = services.filter(({ statement }) => at(statement, 'Principal.Service') !== 'lambda.amazonaws.com');

    expect(open.length).toBeGreaterThan(5);
    for (const { id, statement } of open) {
      const account = at(statement, 'Condition.StringEquals.aws:SourceAccount');
      const source = at(statement, 'Condition.ArnEquals') ?? at(statement, 'Condition.ArnLike');
      expect([account, Object.keys(source ?? {})], id).toEqual([{ Ref: 'AWS::AccountId' }, ['aws:SourceArn']]);
    }
  });

  test('each queue is encrypted, takes nothing without TLS, and has a dead-letter queue or is one', () => {
    const deadLetterIds = new Set(
      queues().map(([, { Properties }]) => targetOf(at(Properties, 'RedrivePolicy.deadLetterTargetArn'), stage)),
    );
    expect(queues()).toHaveLength(5);
    for (const [id, { Properties }] of queues()) {
      expect(Properties['SqsManagedSseEnabled'], id).toBe(true);
      expect(Properties['MessageRetentionPeriod'], id).toBe(1_209_600); // in a dead-letter queue the clock of the first goes on
      expect(statementsOf(stage, 'AWS::SQS::QueuePolicy', 'Queues', id), id).toContainEqual(deniesPlainHttp);
      const takesDeadLetters = deadLetterIds.has(id) || id.startsWith('SchedulesDeadLetters');
      expect(at(Properties, 'RedrivePolicy.maxReceiveCount'), id).toBe(takesDeadLetters ? undefined : 1000);
    }
  });

  test('the bucket is announced to queues that let it, after their policies', () => {
    const [bucket] = ofType(stage.state, 'AWS::S3::Bucket');
    const policies = ofType(stage.state, 'AWS::SQS::QueuePolicy').filter(([, policy]) =>
      JSON.stringify(policy).includes('s3.amazonaws.com'),
    );
    expect(bucket?.[1].DependsOn).toEqual(policies.map(([id]) => id).toSorted());
  });

  test('[E1] a scheduled command is one that the worker takes, once its time stands in it', () => {
    const now = new Date('2026-11-20T22:00:00Z');
    const commands = schedules().filter((schedule) => at(schedule, 'Target.DeadLetterConfig.Arn') !== undefined);
    expect(commands.length).toBeGreaterThanOrEqual(2);
    for (const schedule of commands) {
      const input = textAt(schedule, 'Target.Input').replaceAll(
        '<aws.scheduler.scheduled-time>',
        '2026-11-20T22:00:00Z',
      );
      const parsed = checkCampaignRunCommand(JSON.parse(input), now);
      expect(parsed).toMatchObject({ ok: true, command: { id: `${textAt(schedule, 'Name')}@2026-11-20T22:00:00Z` } });
      expect(at(schedule, 'Target.RetryPolicy')).toEqual({
        MaximumRetryAttempts: 185,
        MaximumEventAgeInSeconds: 86_400,
      });
      expect(targetOf(at(schedule, 'Target.DeadLetterConfig.Arn'), stage)).toMatch(/^SchedulesDeadLetters/);
    }
  });

  test('a watch calls its function and leaves the retry to its next tick', () => {
    const watches = schedules().filter((schedule) => /^(?:scanner-packages|projects)\./.test(textAt(schedule, 'Name')));
    const called = Object.fromEntries(
      watches.map((schedule) => [textAt(schedule, 'Name'), JSON.parse(textAt(schedule, 'Target.Input'))]),
    );
    const ofExample = {
      'scanner-packages.vendor': { watch: 'vendor' },
      'projects.chat-app': { watch: 'chat-app' },
    };
    expect(called).toEqual(name === 'second' ? {} : ofExample);
    for (const schedule of watches) {
      expect(at(schedule, 'Target.RetryPolicy.MaximumRetryAttempts')).toBe(0);
    }
  });

  // Lambda keeps an event for six hours and retries it twice by default
  // (AWS::Lambda::EventInvokeConfig, CloudFormation User Guide).
  test('each function that a schedule calls drops a late tick after a minute, and repeats no failed one', () => {
    const settings = Object.fromEntries(
      ofType(stage.workers, 'AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => [
        targetOf(at(Properties, 'FunctionName'), stage),
        [at(Properties, 'MaximumEventAgeInSeconds'), at(Properties, 'MaximumRetryAttempts')],
      ]),
    );
    const called = schedules()
      .map((schedule) => targetOf(at(schedule, 'Target.Arn'), stage))
      .filter((target) => functions().some(([id]) => id === target));

    expect(called.length).toBeGreaterThan(0);
    expect(called.filter((id) => JSON.stringify(settings[id]) !== '[60,0]')).toEqual([]);
  });

  test('each schedule fires at its time, in the group of the stage', () => {
    for (const schedule of schedules()) {
      expect(schedule['FlexibleTimeWindow']).toEqual({ Mode: 'OFF' });
      expect(schedule['GroupName']).toBe(`gateway-autopilot-${configuration.stage}`);
    }
  });

  test('the state knows nothing of the workers', () => {
    expect(JSON.stringify(stage.state.resources)).not.toContain('Fn::ImportValue');
  });

  test('the outputs are those that the operator’s command looks for', () => {
    expect(Object.keys(stage.state.outputs)).toEqual(expect.arrayContaining([...stateOutputs]));
    expect(Object.keys(stage.workers.outputs)).toEqual(expect.arrayContaining([...workersOutputs]));
  });

  test('the token is made without a value', () => {
    const [token] = ofType(stage.state, 'AWS::SecretsManager::Secret');
    expect(Object.keys(token?.[1].Properties ?? {})).toEqual(['Description']);
  });
});

const deniesPlainHttp: unknown = expect.objectContaining({
  Effect: 'Deny',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
