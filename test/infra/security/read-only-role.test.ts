import { beforeAll, describe, expect, test } from 'vitest';
import { allOptions } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { configurations, ofType, type StageTemplates, synthesize, targetOf } from '../template.ts';
import { type Granted, grantedIn } from './granted.ts';

/** All that answer-questions may do, beside writing its own log. */
const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'secretsmanager:GetSecretValue'];
const ownLog = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/**
 * Lambda itself does this for a function in a VPC; the statement keeps the code of the function
 * from it.
 */
const isOfLambda = ({ action }: Granted) => action.startsWith('ec2:');
/** What DynamoDB asks for to read a table under a key of the account. */
const isOfKey = ({ action }: Granted) => action.startsWith('kms:');

describe.each(['example', 'chaos', 'all options'] as const)('in the templates of %s', (name) => {
  let stage: StageTemplates;
  let granted: readonly Granted[];

  beforeAll(async () => {
    stage = name === 'all options' ? await stageWith(allOptions, 'prod') : await synthesize(configurations[name]);
    granted = grantedIn(stage).granted.filter(
      ({ to }) => to.kind === 'role' && to.id.startsWith('AnswerQuestionsFunctionRole'),
    );
  });

  test('answer-questions may read, and neither write, send, publish nor invoke', () => {
    const actions = granted.filter((one) => !isOfLambda(one) && !isOfKey(one)).map(({ action }) => action);

    expect([...new Set(actions)].toSorted()).toEqual([...reads, ...ownLog].toSorted());
  });

  test('it is fed by no queue and called by no schedule: only a person invokes it', () => {
    const mappings = ofType(stage.workers, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) =>
      targetOf(Properties['FunctionName'], stage),
    );
    const schedules = ofType(stage.workers, 'AWS::Scheduler::Schedule').map(([, schedule]) => JSON.stringify(schedule));

    expect(mappings.filter((id) => id.startsWith('AnswerQuestions'))).toEqual([]);
    expect(schedules.filter((text) => text.includes('AnswerQuestions'))).toEqual([]);
  });
});
