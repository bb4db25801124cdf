import { beforeAll, describe, expect, test } from 'vitest';
import { houseRules, judgeStage } from '#infra/validation/house-rules.ts';
import { createStageModel, type StageModel, type Template } from '#infra/validation/stage-model.ts';
import { plainId } from '../security/words.ts';
import { options } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { type Json, listOf, type StageTemplates } from '../template.ts';

describe('our own rules', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await stageWith(options['encryption']?.changes ?? {}, 'prod'); // with every kind of resource that a rule is about
  });

  test.each(plants)('[C7 F13] $rule finds $what', ({ rule, spoil, at }) => {
    const before = foundIn(createStageModel(templatesOf(stage)));
    const spoilt = structuredClone(stage);
    spoil(spoilt);

    const after = foundIn(createStageModel(templatesOf(spoilt)));
    const news = after.filter((finding) => !before.includes(finding));

    expect(news.map((finding) => finding.replace(/Statement\.\d+/, 'Statement.N'))).toContain(`${rule}: ${at}`);
    expect(news.filter((finding) => !finding.startsWith(`${rule}: `))).toEqual([]);
  });

  test('each has its violation here, and says in a sentence what has to be so', () => {
    expect(new Set(plants.map(({ rule }) => rule))).toEqual(new Set(houseRules.map(({ id }) => id)));
    for (const { id, sentence } of houseRules) expect(sentence.length, id).toBeGreaterThan(15);
  });
});

function templatesOf({ state, workers }: StageTemplates): Template[] {
  return [state, workers];
}

/** `rule: LogicalId path`, the ids without their hashes. */
function foundIn(stage: StageModel): string[] {
  return judgeStage(stage).map(({ rule, finding }) => `${rule.id}: ${plainId(finding.logicalId)} ${finding.path}`);
}

/** A copy of a template that may be spoilt. */
export interface Spoilt {
  readonly resources: Record<string, { Type: string; Properties: Record<string, Json>; DependsOn?: Json }>;
}

/** One violation of a rule. */
export interface Plant {
  readonly rule: string;
  readonly what: string;
  readonly spoil: (stacks: { readonly state: Spoilt; readonly workers: Spoilt }) => void;
  /** Where it is found, as `LogicalId path` without the hash of the id. */
  readonly at: string;
}

/** At least one for each rule. */
export const plants: readonly Plant[] = [
  {
    rule: 'visibility-timeout',
    what: 'a queue whose messages come back while its function still works',
    spoil: ({ state }) => set(state, 'Uploads', 'VisibilityTimeout', 719),
    at: 'Uploads Properties.VisibilityTimeout',
  },
  {
    rule: 'visibility-timeout',
    what: 'a function that takes longer than its queue was made for',
    spoil: ({ workers }) => set(workers, 'RegisterDatasetsFunction', 'Timeout', 121),
    at: 'Uploads Properties.VisibilityTimeout',
  },
  {
    rule: 'visibility-timeout',
    what: 'a mapping of a queue that cannot be judged',
    spoil: ({ workers }) =>
      set(workers, 'RegisterDatasetsFunctionUploads', 'EventSourceArn', 'arn:aws:sqs:eu-west-1:123456789012:other'),
    at: 'RegisterDatasetsFunctionUploads Properties',
  },
  {
    rule: 'message-retention',
    what: 'a dead-letter queue that forgets after four days',
    spoil: ({ state }) => set(state, 'CommandsDeadLetters', 'MessageRetentionPeriod', undefined),
    at: 'CommandsDeadLetters Properties.MessageRetentionPeriod',
  },
  {
    rule: 'mapping-answers-by-record',
    what: 'a mapping that deletes what failed',
    spoil: ({ workers }) => set(workers, 'RegisterDatasetsFunctionUploads', 'FunctionResponseTypes', undefined),
    at: 'RegisterDatasetsFunctionUploads Properties.FunctionResponseTypes',
  },
  {
    rule: 'mapping-concurrency',
    what: 'a mapping that takes as much as it likes',
    spoil: ({ workers }) => set(workers, 'ParkDeadLettersFunctionUploads', 'ScalingConfig', undefined),
    at: 'ParkDeadLettersFunctionUploads Properties.ScalingConfig.MaximumConcurrency',
  },
  {
    rule: 'arm64',
    what: 'a function on another architecture',
    spoil: ({ workers }) => set(workers, 'WatchProjectsFunction', 'Architectures', ['x86_64']),
    at: 'WatchProjectsFunction Properties.Architectures',
  },
  {
    rule: 'managed-log-group',
    what: 'a function whose log group Lambda makes',
    spoil: ({ workers }) => set(workers, 'WatchProjectsFunction', 'LoggingConfig', undefined),
    at: 'WatchProjectsFunction Properties.LoggingConfig.LogGroup',
  },
  {
    rule: 'log-retention',
    what: 'a log group that keeps everything',
    spoil: ({ workers }) => set(workers, 'WatchProjectsFunctionLogs', 'RetentionInDays', undefined),
    at: 'WatchProjectsFunctionLogs Properties.RetentionInDays',
  },
  {
    rule: 'service-by-source',
    what: 'a queue that takes messages of any bucket',
    spoil: ({ state }) => eachStatement(state, 'UploadsPolicy', (statement) => withoutOperator(statement, 'ArnEquals')),
    at: 'UploadsPolicy Properties.PolicyDocument.Statement.N.Condition',
  },
  {
    rule: 'service-by-source',
    what: 'a topic that takes the alarms of any account',
    spoil: ({ workers }) =>
      eachStatement(workers, 'AlarmsPolicy', (statement) => withoutOperator(statement, 'StringEquals')),
    at: 'AlarmsPolicy Properties.PolicyDocument.Statement.N.Condition',
  },
  {
    rule: 'service-by-source',
    what: 'a role that the scheduler takes on for every account',
    spoil: ({ workers }) =>
      set(workers, 'SchedulesWatchesRole', 'AssumeRolePolicyDocument', {
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'scheduler.amazonaws.com' } }],
      }),
    at: 'SchedulesWatchesRole Properties.AssumeRolePolicyDocument.Statement.N.Condition',
  },
  {
    rule: 'no-wildcard',
    what: 'a role that may touch every table',
    spoil: ({ workers }) =>
      eachStatement(workers, 'WatchProjectsFunctionRoleDefaultPolicy', (statement) =>
        listOf(statement['Action']).includes('dynamodb:Query') ? { ...statement, Resource: '*' } : statement,
      ),
    at: 'WatchProjectsFunctionRoleDefaultPolicy Properties.PolicyDocument.Statement.N.Resource',
  },
  {
    rule: 'no-wildcard',
    what: 'a person who may do everything with a bucket',
    spoil: ({ state }) => eachStatement(state, 'DatasetsWriter', (statement) => ({ ...statement, Action: 's3:*' })),
    at: 'DatasetsWriter Properties.PolicyDocument.Statement.N.Action',
  },
  {
    rule: 'no-wildcard',
    what: 'a role by what it may not do',
    spoil: ({ workers }) =>
      eachStatement(workers, 'SchedulesWatchesRoleDefaultPolicy', (statement) => ({
        ...without(statement, 'Action'),
        NotAction: 'iam:*',
      })),
    at: 'SchedulesWatchesRoleDefaultPolicy Properties.PolicyDocument.Statement.N.NotAction',
  },
  {
    rule: 'no-wildcard',
    what: 'a queue that takes messages of every account',
    spoil: ({ state }) =>
      eachStatement(state, 'UploadsPolicy', (statement) => ({ ...statement, Effect: 'Allow', Principal: '*' })),
    at: 'UploadsPolicy Properties.PolicyDocument.Statement.N.Principal',
  },
  {
    rule: 'no-wildcard',
    what: 'an inline policy of a role',
    spoil: ({ workers }) =>
      set(workers, 'SchedulesWatchesRole', 'Policies', [
        { PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sns:Publish', Resource: '*' }] } },
      ]),
    at: 'SchedulesWatchesRole Properties.Policies.0.PolicyDocument.Statement.N.Resource',
  },
  {
    rule: 'no-circle',
    what: 'a queue that waits for the bucket that waits for its policy',
    spoil: ({ state }) => {
      resourceOf(state, 'Uploads').DependsOn = [idOf(state, 'Bucket')];
    },
    at: 'Uploads DependsOn',
  },
  {
    rule: 'no-circle',
    what: 'one key for the bucket and for its queues, whose policy names the bucket by reference',
    spoil: ({ state }) => {
      const key = idOf(state, 'KeysQueues');
      set(state, 'Bucket', 'BucketEncryption', { KMSMasterKeyID: { 'Fn::GetAtt': [key, 'Arn'] } });
      set(state, 'KeysQueues', 'KeyPolicy', {
        Statement: [
          { Effect: 'Deny', Condition: { ArnEquals: { a: { 'Fn::GetAtt': [idOf(state, 'Bucket'), 'Arn'] } } } },
        ],
      });
    },
    at: 'KeysQueues DependsOn',
  },
];

function idOf({ resources }: Spoilt, name: string): string {
  const found = Object.keys(resources).find((id) => plainId(id) === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

function resourceOf(stack: Spoilt, name: string): Spoilt['resources'][string] {
  const resource = stack.resources[idOf(stack, name)];
  if (resource === undefined) throw new Error(`no resource ${name}`);
  return resource;
}

/** Sets a property, or takes it away. */
function set(stack: Spoilt, name: string, property: string, value: Json | undefined): void {
  const { Properties } = resourceOf(stack, name);
  if (value === undefined) delete Properties[property];
  else Properties[property] = value;
}

function eachStatement(
  stack: Spoilt,
  name: string,
  change: (statement: { [key: string]: Json }) => { [key: string]: Json },
): void {
  const { Properties } = resourceOf(stack, name);
  const document = objectOf(Properties['PolicyDocument']);
  Properties['PolicyDocument'] = {
    ...document,
    Statement: listOf(document['Statement']).map((one) => change(objectOf(one))),
  };
}

/** An object with one of its keys less. */
function without(whole: { [key: string]: Json }, key: string): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
}

/** A statement with one operator of its condition less. */
function withoutOperator(statement: { [key: string]: Json }, operator: string): { [key: string]: Json } {
  return { ...statement, Condition: without(objectOf(statement['Condition']), operator) };
}

function objectOf(value: Json | undefined): { [key: string]: Json } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return value;
}
