import { Stack, Validations } from 'aws-cdk-lib/core';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { allOptions, options } from '../stacks/options.ts';
import { withDocument } from '../stacks/stage-with.ts';
import { configurations } from '../template.ts';
import { judgeStage, type Judgement, staleIn } from './judge-stage.ts';

/** Each stage, each setting of the account by itself, and all of them; what changes no more than the code cannot be found. */
const stages: readonly (readonly [name: string, judge: () => Promise<Judgement>])[] = [
  ...Object.entries(configurations).map(
    ([name, configuration]) => [`of ${name}`, async () => judgeStage(configuration)] as const,
  ),
  ...Object.entries(options)
    .filter(([, { touches }]) => touches.join(', ') !== 'AWS::Lambda::Function Code')
    .map(([name, { changes }]) => [`with ${name}`, async () => withDocument(changes, 'prod', judgeStage)] as const),
  ['with every option', async () => withDocument(allOptions, 'prod', judgeStage)],
];

describe.each(stages)('the stage %s', (_name, judge) => {
  test('[C7 F13] has no finding that nobody explained, and no explanation without a finding', async () => {
    const judgement = await judge();

    expect(judgement.unexplained).toEqual([]);
    expect(staleIn(judgement)).toEqual([]);
    expect(judgement.acknowledgements.filter(({ reason }) => reason.length < 40)).toEqual([]);
    expect(judgement.found.length).toBeGreaterThan(30); // all three were asked
  });
});

describe('whoever adds something', () => {
  test('hears of it from cdk-nag, from CloudFormation and from our own rules', async () => {
    const { unexplained } = await judgeStage(configurations.exampleLocal, (app) => {
      const stack = app.node.children.find((child) => child instanceof Stack);
      if (stack === undefined) throw new Error('the app has no stack');
      const queue = new Queue(stack, 'Careless').node.defaultChild;
      if (queue instanceof CfnQueue) queue.addPropertyOverride('Colour', 'red');
    });

    expect(unexplained.map(({ id, path }) => `${id} ${path.split('/').slice(1).join('/')}`).toSorted()).toEqual([
      'Autopilot::message-retention Careless/Resource',
      'AwsSolutions::AwsSolutions-SQS3 Careless/Resource',
      'AwsSolutions::AwsSolutions-SQS4 Careless/Resource',
      'CloudFormation-Validate::F3002 Careless/Resource', // no such property
      'Serverless::Serverless-SQSRedrivePolicy Careless/Resource',
    ]);
  });

  test('hears of an explanation whose finding is gone, of one for another construct, and of one that no report shows', async () => {
    const judgement = await judgeStage(configurations.exampleLocal, (app) => {
      const stack = app.node.findChild('GatewayAutopilot-local-State');
      const token = Validations.of(stack.node.findChild('Token'));
      token.acknowledge({ id: 'AwsSolutions::AwsSolutions-S1', reason: 'not about a secret' });
      token.acknowledge({ id: 'AwsSolutions-SMG4', reason: 'says nothing of who judges' });
      Validations.of(stack).acknowledge({ id: 'Autopilot::arm65', reason: 'no such rule' });
    });

    expect(staleIn(judgement).map(({ id, path }) => `${id} ${path.split('/').slice(1).join('/')}`.trim())).toEqual(
      expect.arrayContaining([
        'Autopilot::arm65',
        'AwsSolutions::AwsSolutions-S1 Token',
        'Annotation::AwsSolutions-SMG4 Token',
      ]),
    );
  });
});
