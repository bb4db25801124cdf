import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, CloudFormationValidatePlugin, Validations } from 'aws-cdk-lib/core';
import { validationPlugins } from '#infra/validation/plugins.ts';
import { type Configuration, withStage } from '../template.ts';

/** What somebody found, and where in the tree of constructs. */
export interface Found {
  /** As in an acknowledgement, with whoever judges before it: `Serverless::Serverless-LambdaDLQ`. */
  readonly id: string;
  readonly path: string;
}

/** What was explained, for a construct and what is in it. */
export interface Acknowledgement extends Found {
  readonly reason: string;
}

/** What is said about a stage. */
export interface Judgement {
  /** Nobody explained it. */
  readonly unexplained: readonly Found[];
  /** As if nobody had explained anything. */
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

/** What a synthesis writes into its report; errors in it end the synthesis, so that they are caught here to be compared. */
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
 * The acknowledgements of findings that nobody has: stale ones, and those that name no judge. cdk-nag leaves out what is acknowledged by the
 * bare name of its rule before anybody sees it, so that no report could say why.
 */
export function staleIn({ found, acknowledgements }: Judgement): Acknowledgement[] {
  return acknowledgements.filter(
    ({ id, path }) => !found.some((one) => one.id === id && `${one.path}/`.startsWith(`${path}/`)),
  );
}
