import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, CloudFormationValidatePlugin, Stack, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { allOptions, options } from '../stacks/options.ts';
import { withDocument } from '../stacks/stage-with.ts';
import { type Configuration, configurations, withStage } from '../template.ts';

/**
 * Each stage, each setting of the account by itself, and all of them; what changes no more than the
 * code cannot be found.
 */
const stages: readonly (readonly [name: string, judge: () => ReturnType<typeof judgeStage>])[] = [
  ...Object.entries(configurations).map(
    ([name, configuration]) => [`of ${name}`, async () => judgeStage(configuration)] as const,
  ),
  ...Object.entries({ ...options, 'every option': { changes: allOptions, touches: [] } })
    .filter(([, { touches }]) => touches.join(', ') !== 'AWS::Lambda::Function Code')
    .map(([name, { changes }]) => [`with ${name}`, async () => withDocument(changes, 'prod', judgeStage)] as const),
];

test.each(stages)(
  '[C7 F13] the stage %s has no finding without an explanation, and no explanation without a finding',
  async (_name, judge) => {
    const { unexplained, explained, acknowledgements } = await judge();
    // cdk-nag passes over an explanation that is stale, or that names no judge, in silence.
    const stale = acknowledgements.filter(
      ({ id, path }) => !explained.some((one) => one.id === id && `${one.path}/`.startsWith(`${path}/`)),
    );

    expect(unexplained).toEqual([]);
    expect(stale).toEqual([]);
    expect(acknowledgements.filter(({ reason }) => reason.length < 40)).toEqual([]);
    expect(explained.length).toBeGreaterThan(30);
  },
);

test('a queue of little care is found by cdk-nag and by CloudFormation', async () => {
  const { unexplained } = await judgeStage(configurations.exampleLocal, (app) => {
    const stack = app.node.children.find((child) => child instanceof Stack);
    if (stack === undefined) throw new Error('the app has no stack');
    const queue = new Queue(stack, 'Careless').node.defaultChild;
    if (queue instanceof CfnQueue) queue.addPropertyOverride('Colour', 'red');
  });

  expect(unexplained.map(({ id, path }) => `${id} ${path.split('/').slice(1).join('/')}`).toSorted()).toEqual([
    'AwsSolutions::AwsSolutions-SQS3 Careless/Resource',
    'AwsSolutions::AwsSolutions-SQS4 Careless/Resource',
    'CloudFormation-Validate::F3002 Careless/Resource', // no such property
    'Serverless::Serverless-SQSRedrivePolicy Careless/Resource',
  ]);
});

/** Its engine takes a second to start, so the stages of a file share it. */
const cloudFormation = new CloudFormationValidatePlugin();

/** Judges a stage as a synthesis does. */
async function judgeStage(configuration: Configuration, change: (app: App) => void = () => {}) {
  return withStage(configuration, (app) => {
    change(app);
    Validations.of(app).addPlugins(cloudFormation, new AwsSolutionsChecks(), new ServerlessChecks());
    try {
      app.synth();
    } catch (error) {
      // Findings end the synthesis, and stand in its report.
      if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error;
    }
    const { pluginReports }: Report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));
    // The id is as in an acknowledgement, with the judge before it: `Serverless::Serverless-LambdaDLQ`.
    const placesOf = (kind: 'violations' | 'suppressedViolations') =>
      pluginReports.flatMap(({ pluginName, [kind]: found = [] }) =>
        found.flatMap(({ ruleName, violatingConstructs }) =>
          violatingConstructs.map(({ constructPath: path = '' }) => ({
            id: `${pluginName.replaceAll(' ', '-')}::${ruleName}`,
            path,
          })),
        ),
      );
    return {
      unexplained: placesOf('violations'),
      explained: placesOf('suppressedViolations'),
      /** Of a construct and what is in it. */
      acknowledgements: app.node.findAll().flatMap(({ node }) =>
        node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .flatMap(({ data }) => Object.entries<string>(data))
          .map(([id, reason]) => ({ id, path: node.path, reason })),
      ),
    };
  });
}

/** What is read of the report. */
interface Report {
  readonly pluginReports: readonly (Readonly<Partial<Record<'violations' | 'suppressedViolations', Violations>>> & {
    readonly pluginName: string;
  })[];
}

type Violations = readonly {
  readonly ruleName: string;
  readonly violatingConstructs: readonly { readonly constructPath?: string }[];
}[];
