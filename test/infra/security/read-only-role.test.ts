import { expect, test } from 'vitest';
import { allOptions } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { configurations, ofType, synthesize } from '../template.ts';
import { grantedIn } from './granted.ts';

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
