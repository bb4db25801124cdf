import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { readChangeSet, type ResourceLoss } from './resource-losses.ts';
import { createCloudFormationClient } from '#shared/aws/stage-outputs.ts';
import { readDeployedSettings } from './changed-settings.ts';
import type { StagePlace } from './deployed-stage.ts';
import { readStartedRuns } from './started-runs.ts';
import { packageFolder, programWords } from '#shared/places.ts';
import { type LineArguments, type LineSpec, readLine, WrongLine } from '#shared/text/program-arguments.ts';

/** Which stage, and whose account it lies in. */
export interface StageOptions {
  readonly stage: string;
  /** Of the AWS configuration. @default as the environment says */
  readonly profile: string | undefined;
  /** @default as the environment or the profile says */
  readonly region: string | undefined;
  readonly line: LineArguments;
}

/** The words with which another line is about the same stage. */
export function stageLineWords({ stage, profile, region }: Omit<StageOptions, 'line'>): readonly string[] {
  const texts = Object.entries({ stage, profile, region });
  return texts.flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, text]));
}

/** What says which stage, in whose account. */
export const stageOfLine: LineSpec['options'] = {
  '--stage <NAME>': 'which stage of automation.config.ts',
  '--profile <NAME>': 'of the AWS configuration (default: as the environment says)',
  '--region <NAME>': 'in place of the one of the environment or the profile',
};

/**
 * A command about a stage: prints its help if that is asked for, else does its work. Answers the exit code.
 * @throws Refusal, ConfigurationError
 */
export function stageCommand(
  name: string,
  spec: LineSpec,
  run: (options: StageOptions, deps: DeployDeps) => Promise<number>,
): (argv: readonly string[], deps: DeployDeps) => Promise<number> {
  return async (argv, deps) => {
    const options = readStageOptions(name, spec, argv);
    if (typeof options !== 'string') return run(options, deps);
    deps.stdout.write(`${options}\n`);
    return 0;
  };
}

/** Reads a command line strictly. */
function readStageOptions(name: string, spec: LineSpec, argv: readonly string[]): StageOptions | string {
  const line = lineOf(name, spec, argv);
  if (typeof line === 'string') return line;
  const stage = line.text('stage');
  if (stage === undefined) throw new Refusal('which stage? --stage NAME');
  return { stage, profile: line.text('profile'), region: line.text('region'), line };
}

function lineOf(name: string, spec: LineSpec, argv: readonly string[]): LineArguments | string {
  try {
    return readLine(`autopilot ${name}`, spec, argv);
  } catch (error) {
    throw error instanceof WrongLine ? new Refusal(error.sentence) : error;
  }
}

/** A program, and the words that every call of it begins with. */
export type Tool = readonly [program: string, ...words: string[]];

/** What deploying and destroying reach for. */
export interface DeployDeps {
  readonly cdk: Tool;
  /** The CDK app. */
  readonly app: Tool;
  readonly autopilot: Tool;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** The configuration file, absolute. */
  readonly configPath: string;
  /** Gets bundles, assets and the assembly of the stage. */
  readonly buildDir: string;
  /** Whether a profile of the AWS configuration asks for an MFA code. */
  readonly asksForMfa: (profile: string) => Promise<boolean>;
  /** Reads a change set by its ARN, with a profile of the AWS configuration or the credentials of the environment. */
  readonly readChangeSet: (arn: string, profile: string | undefined) => Promise<readonly ResourceLoss[]>;
  /** The runs that a deployed stage has started and not stopped; none if it observes. */
  readonly readStartedRuns: (place: StagePlace) => Promise<readonly string[]>;
  readonly readSettings: typeof readDeployedSettings;
}

/**
 * Those of the product: the CDK's command line as its package.json pins it, beside any other that
 * is installed. The configuration is that of the working folder.
 */
export function createDeployDeps(terminal: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>): DeployDeps {
  const { stdin, stdout, stderr, env } = terminal;
  return {
    cdk: [process.execPath, createRequire(import.meta.url).resolve('aws-cdk/bin/cdk')],
    app: [process.execPath, ...programWords('infra/app')],
    autopilot: [process.execPath, join(packageFolder, 'cli', 'autopilot.mjs')],
    env,
    stdin,
    stdout,
    stderr,
    configPath: resolve('automation.config.ts'),
    buildDir: resolve('build'),
    asksForMfa,
    readStartedRuns,
    readSettings: readDeployedSettings,
    async readChangeSet(arn, profile) {
      // arn:PARTITION:cloudformation:REGION:…: the region in which the CDK made it, from any source
      // of the region.
      return readChangeSet(createCloudFormationClient({ profile, region: arn.split(':')[3] }), arn);
    },
  };
}

/** Asks one question and gives the answer without the space around it; the end of the input is no answer. */
export async function askOnTerminal(
  question: string,
  { stdin, stderr }: Pick<DeployDeps, 'stdin' | 'stderr'>,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const ended = new Promise<string>((end) => lines.once('close', () => end('')));
    return (await Promise.race([lines.question(question), ended])).trim();
  } finally {
    lines.close();
  }
}

/** What was asked for is not done; the message says why and what to do, in one line but for a list. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: number;

  /** @param exitCode - 2 if the command line is to be another one, 1 if the deployment failed, 4 if it needs a person */
  constructor(message: string, exitCode: 1 | 2 | 4 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Returns true if a profile of the AWS configuration asks for an MFA code, itself or through its `source_profile`. The SDK reads the files and
 * refuses such a profile before it calls AWS, since no one here can enter a code.
 */
export async function asksForMfa(profile: string): Promise<boolean> {
  try {
    await createCloudFormationClient({ profile, region: 'us-east-1' }).config.credentials();
    return false;
  } catch (error) {
    return error instanceof Error && error.message.includes('requires multi-factor authentication');
  }
}
