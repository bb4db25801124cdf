import { beforeAll, describe, expect, test } from 'vitest';
import { envContract } from '../../../shared/config/env-contract.ts';
import { checkCampaignRunCommand } from '../../../shared/messages/campaign-run-command.ts';
import { functionNames } from '../../../shared/vocabulary/function-names.ts';
import { stateOutputs, workersOutputs } from '../../../shared/vocabulary/stack-outputs.ts';
import {
  at,
  configurations,
  type Json,
  listOf,
  ofType,
  type Resource,
  roleStatements,
  type StackTemplate,
  type StageTemplates,
  synthesize,
  targetOf,
  textAt,
} from '../template.ts';

const fourteenDays = 1_209_600;

describe.each(Object.entries(configurations))('every resource of %s', (name, configuration) => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configuration);
  });

  const functions = () => ofType(stage.workers, 'AWS::Lambda::Function');
  const queues = () => ofType(stage.state, 'AWS::SQS::Queue');
  const mappings = () => ofType(stage.workers, 'AWS::Lambda::EventSourceMapping');
  const schedules = () => ofType(stage.workers, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);

  test('[F13] each function runs Node 24 on arm64, with source maps and a log group that forgets', () => {
    expect(functions()).toHaveLength(functionNames.length);
    for (const [id, { Properties }] of functions()) {
      expect(Properties['Architectures'], id).toEqual(['arm64']);
      expect(Properties['Runtime'], id).toBe('nodejs24.x');
      expect(at(Properties, 'Environment.Variables.NODE_OPTIONS'), id).toBe('--enable-source-maps');
      const logGroup = stage.workers.resources[targetOf(at(Properties, 'LoggingConfig.LogGroup'), stage)];
      expect(numberAt(logGroup, 'RetentionInDays'), id).toBeLessThanOrEqual(365);
      expect(Properties, `${id} reserves concurrency, which small accounts refuse`).not.toHaveProperty(
        'ReservedConcurrentExecutions',
      );
    }
  });

  test('each function gets exactly the variables of its contract', () => {
    for (const functionName of functionNames) {
      const [, resource] = functionOf(stage.workers, functionName);
      const variables = Object.keys(at(resource.Properties, 'Environment.Variables') ?? {});
      expect(variables.toSorted(), functionName).toEqual([...envContract[functionName], 'NODE_OPTIONS'].toSorted());
    }
  });

  test('[F13] each queue feeds a function that ends within a sixth of its visibility timeout', () => {
    const fed = new Set<string>();
    for (const [id, { Properties }] of mappings()) {
      const queueId = targetOf(Properties['EventSourceArn'], stage);
      const timeout = numberAt(stage.workers.resources[targetOf(Properties['FunctionName'], stage)], 'Timeout');
      expect(timeout * 6, id).toBeLessThanOrEqual(numberAt(stage.state.resources[queueId], 'VisibilityTimeout'));
      fed.add(queueId);
    }
    expect([...fed].toSorted()).toEqual(
      queues()
        .map(([id]) => id)
        .toSorted(),
    );
  });

  test('[C7 F13] each mapping answers for single records, at once, and only so many at a time', () => {
    expect(mappings()).toHaveLength(7);
    for (const [id, { Properties }] of mappings()) {
      expect(Properties['FunctionResponseTypes'], id).toEqual(['ReportBatchItemFailures']);
      expect(Properties['MaximumBatchingWindowInSeconds'], id).toBe(0);
      expect(at(Properties, 'ScalingConfig.MaximumConcurrency'), id).toBeGreaterThanOrEqual(2);
    }
  });

  test('[F13] each queue keeps messages 14 days, encrypted, over TLS only, and has a dead-letter queue or is one', () => {
    const deadLetterIds = new Set(
      queues().map(([, { Properties }]) => targetOf(at(Properties, 'RedrivePolicy.deadLetterTargetArn'), stage)),
    );
    expect(queues()).toHaveLength(7);
    for (const [id, { Properties }] of queues()) {
      expect(Properties['MessageRetentionPeriod'], id).toBe(fourteenDays);
      expect(Properties['SqsManagedSseEnabled'], id).toBe(true);
      expect(statementsOn(stage.state, 'AWS::SQS::QueuePolicy', 'Queues', id), id).toContainEqual(deniesPlainHttp);
      const takesDeadLetters = deadLetterIds.has(id) || id.startsWith('SchedulesDeadLetters');
      expect(at(Properties, 'RedrivePolicy.maxReceiveCount'), id).toBe(takesDeadLetters ? undefined : 1000);
    }
  });

  test('[F13] a service is let in by its account and its source only', () => {
    const opened = [...ofType(stage.state, 'AWS::SQS::QueuePolicy'), ...ofType(stage.workers, 'AWS::IAM::Role')]
      .flatMap(([id, { Properties }]) =>
        listOf(at(Properties, 'PolicyDocument.Statement') ?? at(Properties, 'AssumeRolePolicyDocument.Statement')).map(
          (statement) => ({ id, statement }),
        ),
      )
      .filter(({ statement }) =>
        ['s3.amazonaws.com', 'scheduler.amazonaws.com'].includes(textAt(statement, 'Principal.Service')),
      );

    expect(opened).toHaveLength(4); // two queues for the bucket, two roles for the scheduler
    for (const { id, statement } of opened) {
      expect(at(statement, 'Condition.StringEquals.aws:SourceAccount'), id).toEqual({ Ref: 'AWS::AccountId' });
      expect(at(statement, 'Condition.ArnEquals.aws:SourceArn'), id).toBeDefined();
    }
  });

  test('no role has a wildcard, but for the objects below one prefix', () => {
    const statements = roleStatements(stage.workers);
    expect(statements.filter(({ actions }) => actions.some((action) => action.includes('*')))).toEqual([]);
    const wild = statements
      .flatMap(({ resources }) => resources)
      .map((resource) => JSON.stringify(resource))
      .filter((text) => text.includes('*'));
    expect(wild.map((text) => /[^"]*\*/.exec(text)?.[0]?.replace(/^.*?\/(?=[a-z-]+\/\*)/, ''))).toEqual([
      'datasets/*',
      'run-plans/*',
    ]);
    expect(JSON.stringify(stage.workers.resources)).not.toContain('ManagedPolicyArns');
  });

  test('the bucket is announced to queues that let it, after their policies', () => {
    const [bucket] = ofType(stage.state, 'AWS::S3::Bucket');
    const policies = ofType(stage.state, 'AWS::SQS::QueuePolicy').filter(([, policy]) =>
      JSON.stringify(policy).includes('s3.amazonaws.com'),
    );
    expect(bucket?.[1].DependsOn).toEqual(policies.map(([id]) => id).toSorted());
    expect(at(bucket?.[1].Properties, 'VersioningConfiguration.Status')).toBe('Enabled');
    expect(statementsOn(stage.state, 'AWS::S3::BucketPolicy', 'Bucket', bucket?.[0] ?? '')).toContainEqual(
      deniesPlainHttp,
    );
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

  test('each schedule fires at its time, in the group of the stage', () => {
    for (const schedule of schedules()) {
      expect(schedule['FlexibleTimeWindow']).toEqual({ Mode: 'OFF' });
      expect(schedule['GroupName']).toBe(`gateway-autopilot-${configuration.stage}`);
    }
  });

  test('nothing waits for itself, and the state knows nothing of the workers', () => {
    for (const stack of [stage.state, stage.workers]) expect(circleIn(stack), stack.name).toBeUndefined();
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

function numberAt(resource: Resource | undefined, path: string): number {
  return Number(at(resource?.Properties, path));
}

function functionOf(workers: StackTemplate, name: string): [string, Resource] {
  const found = ofType(workers, 'AWS::Lambda::Function').find(([, { Properties }]) =>
    textAt(Properties, 'Description').startsWith(`${name} of `),
  );
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

function statementsOn(stack: StackTemplate, type: string, property: string, id: string): Json[] {
  return ofType(stack, type)
    .filter(([, { Properties }]) => listOf(Properties[property]).some((target) => at(target, 'Ref') === id))
    .flatMap(([, { Properties }]) => listOf(at(Properties, 'PolicyDocument.Statement')));
}

/** A circle of references in one template, or undefined. */
function circleIn({ resources }: StackTemplate): string[] | undefined {
  const finished = new Set<string>();
  const visit = (id: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(id)) return [...trail, id];
    if (finished.has(id)) return undefined;
    for (const next of referencesOf(resources[id])) {
      const circle = next in resources ? visit(next, [...trail, id]) : undefined;
      if (circle !== undefined) return circle;
    }
    finished.add(id);
    return undefined;
  };
  return Object.keys(resources)
    .map((id) => visit(id, []))
    .find((circle) => circle !== undefined);
}

function referencesOf(resource: Resource | undefined): string[] {
  const text = JSON.stringify([resource?.Properties, listOf(resource?.DependsOn).map((id) => ({ Ref: id }))]);
  return [...text.matchAll(/"(?:Ref|Fn::GetAtt)":(?:\[)?"([^"]+)"/g)].map(([, id = '']) => id);
}
