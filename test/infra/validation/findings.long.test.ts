import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, CloudFormationValidatePlugin, Stack, Validations } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { validationPlugins } from '#infra/validation/plugins.ts';
import { allOptions, options } from '../stacks/options.ts';
import { withDocument } from '../stacks/stage-with.ts';
import { type Configuration, configurations, withStage } from '../template.ts';

/**
 * Each stage, each setting of the account by itself, and all of them; what changes no more than the
 * code cannot be found.
 */
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
  test('[C7 F13] has no finding without an explanation, and no explanation without a finding', async () => {
    const judgement = await judge();

    expect(judgement.unexplained).toEqual([]);
    expect(staleIn(judgement)).toEqual([]);
    expect(judgement.acknowledgements.filter(({ reason }) => reason.length < 40)).toEqual([]);
    expect(judgement.found.length).toBeGreaterThan(30); // all three were asked
  });
});

describe('a change that adds something', () => {
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

/** What a person found, and where in the tree of constructs. */
export interface Found {
  /** As in an acknowledgement, with the judge before it: `Serverless::Serverless-LambdaDLQ`. */
  readonly id: string;
  readonly path: string;
}

/** What was explained, for a construct and what is in it. */
export interface Acknowledgement extends Found {
  readonly reason: string;
}

/** What is said about a stage. */
export interface Judgement {
  /** It is not explained. */
  readonly unexplained: readonly Found[];
  /** As if nothing had been explained. */
  readonly found: readonly Found[];
  readonly acknowledgements: readonly Acknowledgement[];
}

/** Its engine takes a second to start, so the stages of a file share it. */
const cloudFormation = new CloudFormationValidatePlugin();

/** Judges a stage as a synthesis does: by cdk-nag, CloudFormation's rules and our own. */
export async function judgeStage(
  configuration: Configuration,
  change: (app: App) => void = () => {},
): Promise<Judgement> {
  return withStage(configuration, async (app) => {
    change(app);
    const { open, suppressed } = await reportOf(app);
    return {
      unexplained: open,
      found: [...open, ...suppressed],
      acknowledgements: acknowledgementsIn(app),
    };
  });
}

/**
 * What a synthesis writes into its report; errors in it end the synthesis, so that they are caught
 * here to be compared.
 */
async function reportOf(app: App): Promise<{ readonly open: Found[]; readonly suppressed: Found[] }> {
  Validations.of(app).addPlugins(cloudFormation, ...(await validationPlugins()));
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error;
  }
  const { pluginReports }: Report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));
  return {
    open: pluginReports.flatMap(({ pluginName, violations }) => violations.flatMap(placesOf(pluginName))),
    suppressed: pluginReports.flatMap(({ pluginName, suppressedViolations = [] }) =>
      suppressedViolations.flatMap(placesOf(pluginName)),
    ),
  };
}

/** What is read of the report. */
interface Report {
  readonly pluginReports: readonly {
    readonly pluginName: string;
    readonly violations: readonly Violation[];
    readonly suppressedViolations?: readonly Violation[];
  }[];
}

interface Violation {
  readonly ruleName: string;
  readonly violatingConstructs: readonly { readonly constructPath?: string }[];
}

function placesOf(pluginName: string) {
  return ({ ruleName, violatingConstructs }: Violation): Found[] =>
    violatingConstructs.map(({ constructPath = '' }) => ({
      id: `${pluginName.replaceAll(' ', '-')}::${ruleName}`,
      path: constructPath,
    }));
}

function acknowledgementsIn(app: App): Acknowledgement[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => ({ id, path: node.path, reason })),
  );
}

/**
 * The acknowledgements without a finding: stale ones, and those that name no judge. cdk-nag leaves
 * out what is acknowledged by the bare name of its rule before any reader sees it, so that no
 * report could say why.
 */
export function staleIn({ found, acknowledgements }: Judgement): Acknowledgement[] {
  return acknowledgements.filter(
    ({ id, path }) => !found.some((one) => one.id === id && `${one.path}/`.startsWith(`${path}/`)),
  );
}
