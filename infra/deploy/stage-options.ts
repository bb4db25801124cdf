import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type PlannedChange, readChangeSet } from './change-set.ts';
import { createCloudFormationClient } from '#shared/aws/stage-outputs.ts';
import { readDeployedSettings } from './changed-settings.ts';
import { readStartedRuns, type StagePlace } from './started-runs.ts';
import { packageFolder, programWords } from '#shared/places.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';

/** Which stage, and whose account it lies in. */
export interface StageOptions {
  readonly stage: string;
  /** Of the AWS configuration. @default as the environment says */
  readonly profile: string | undefined;
  /** @default as the environment or the profile says */
  readonly region: string | undefined;
  /** Whether a switch was given. */
  readonly has: (name: string) => boolean;
  /** What an option was given, each time. */
  readonly valuesOf: (name: string) => readonly string[];
}

const ofEveryCommand = {
  stage: { type: 'string' },
  profile: { type: 'string' },
  region: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads a command line strictly.
 * @param own - the switches that this command has beside `--yes` and `--help`, and the options that may be given several times
 * @throws Refusal for what it does not know, and if no stage is named
 */
export function readStageOptions(
  argv: readonly string[],
  own: { readonly switches: readonly string[]; readonly lists?: readonly string[] },
): StageOptions | 'help' {
  const options = {
    ...ofEveryCommand,
    ...Object.fromEntries(own.switches.map((name) => [name, { type: 'boolean' } as const])),
    ...Object.fromEntries((own.lists ?? []).map((name) => [name, { type: 'string', multiple: true } as const])),
  };
  const { tokens, positionals, values } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  if (values['help'] === true) return 'help';
  if (positionals.length > 0) throw new Refusal(`"${positionals.join(' ')}" is no option; the stage is --stage NAME`);
  const stage = text('stage');
  if (stage === undefined) throw new Refusal('which stage? --stage NAME');
  return {
    stage,
    profile: text('profile'),
    region: text('region'),
    has: (name) => values[name] === true,
    valuesOf: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
  };
}

/** @throws Refusal for an option that is not known, lacks its value or has one too many */
function checkOption(
  { name, rawName, value }: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
): void {
  const known = Object.entries(options).find(([option]) => option === name)?.[1];
  if (known === undefined) {
    const near = didYouMean(name, Object.keys(options)).replace('"', '"--');
    throw new Refusal(`there is no option ${rawName}${near}`);
  }
  if (known.type === 'string' && (value ?? '').trim() === '') throw new Refusal(`${rawName} needs a value`);
  if (known.type === 'boolean' && value !== undefined) throw new Refusal(`${rawName} takes no value`);
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
  readonly readChangeSet: (arn: string, profile: string | undefined) => Promise<readonly PlannedChange[]>;
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
