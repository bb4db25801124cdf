import { beforeAll, expect, test } from 'vitest';
import { stageWith } from '../stacks/stage-with.ts';
import { halting } from './security-document.ts';
import { at, configurations, ofType, synthesize } from '../template.ts';
import { type Granted, grantedIn } from './granted.ts';
import { allOptions } from '../stacks/options.ts';

/** Which kinds of rows each role touches stands in the tables of docs/security.md. */
let ofRows: readonly Granted[];

beforeAll(async () => {
  const { granted } = grantedIn(await synthesize(configurations.example));
  ofRows = granted.filter(({ action }) => action.startsWith('dynamodb:'));
});

test('park-dead-letters alone may write no row of a command that update-campaign-runs took', () => {
  const key = 'ForAllValues:StringNotEquals.dynamodb:Attributes';
  const limited = ofRows.filter(({ condition }) => at(condition, key) !== undefined);

  expect(limited.map(({ to, action, condition }) => ['id' in to && to.id, action, at(condition, key)])).toEqual([
    [expect.stringMatching(/^ParkDeadLetters/), 'dynamodb:PutItem', ['isTaken']],
  ]);
});

test('watch-campaigns alone writes holds of alarms, and no other switch', async () => {
  const granted = grantedIn(await stageWith({ campaigns: halting() }, 'prod')).granted;
  const writers = granted.filter(
    ({ to, action, condition }) =>
      to.kind === 'role' && action === 'dynamodb:PutItem' && JSON.stringify(condition).includes('switch'),
  );

  expect(writers.map(({ to }) => ('id' in to ? to.id : ''))).toEqual([expect.stringMatching(/^WatchCampaigns/)]);
  expect(writers.map(({ condition }) => at(condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys'))).toEqual([
    ['past-switch#alarm#*', 'switch#alarm#*'],
  ]);
});

test('no function writes a freeze or a pause, and no one may scan or query the rows themselves', () => {
  const writers = ofRows.filter(
    ({ to, action, condition }) =>
      to.kind === 'role' && action === 'dynamodb:PutItem' && JSON.stringify(condition).includes('switch'),
  );
  const queries = ofRows.filter(({ action }) => action === 'dynamodb:Query');

  expect(writers).toEqual([]);
  expect(new Set(ofRows.map(({ action }) => action))).toEqual(
    new Set(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']),
  );
  // `ForAllValues` is true where a request names no key: a query stands by itself, on an index.
  expect(queries.filter(({ condition }) => condition !== undefined)).toEqual([]);
  expect(queries.filter(({ resource }) => !/index\/(?:open|dataset)/.test(JSON.stringify(resource)))).toEqual([]);
});

/** All that answer-questions may do. In a VPC Lambda itself makes interfaces for it, and DynamoDB uses its key. */
const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'secretsmanager:GetSecretValue'];
const ownLog = ['logs:CreateLogStream', 'logs:PutLogEvents'];

test.each(['example', 'all options'] as const)(
  'in %s answer-questions only reads, and a person alone invokes it',
  async (name) => {
    const stage = name === 'example' ? await synthesize(configurations.example) : await stageWith(allOptions, 'prod');
    const actions = grantedIn(stage)
      .granted.filter(({ to }) => to.kind === 'role' && to.id.startsWith('AnswerQuestionsFunctionRole'))
      .map(({ action }) => action)
      .filter((action) => !/^(?:ec2|kms):/.test(action));
    const callers = ['AWS::Lambda::EventSourceMapping', 'AWS::Scheduler::Schedule'].flatMap((type) =>
      ofType(stage.workers, type).map(([, { Properties }]) => JSON.stringify(Properties)),
    );

    expect([...new Set(actions)].toSorted()).toEqual([...reads, ...ownLog].toSorted());
    expect(callers.length).toBeGreaterThan(5);
    expect(callers.filter((text) => text.includes('AnswerQuestions'))).toEqual([]);
  },
);
