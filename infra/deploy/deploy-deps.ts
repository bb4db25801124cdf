import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type PlannedChange, readChangeSet } from '#shared/aws/change-set.ts';
import { createCloudFormationClient } from '#shared/aws/clients/cloudformation-client.ts';
import { asksForMfa } from '#shared/aws/mfa-profile.ts';
import { packageFolder, programWords } from '#shared/places.ts';
import { createInterface } from 'node:readline/promises';

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
}

/** Those of the product: the CDK's command line as its package.json pins it, whatever else is installed. The configuration is that of the working folder. */
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
    async readChangeSet(arn, profile) {
      // arn:PARTITION:cloudformation:REGION:…: where the CDK made it, wherever it has the region from.
      return readChangeSet(createCloudFormationClient({ profile, region: arn.split(':')[3] }), arn);
    },
  };
}

/** Asks one question and gives the answer without the space around it; the end of the input is no answer. */
export async function ask(question: string, { stdin, stderr }: Pick<DeployDeps, 'stdin' | 'stderr'>): Promise<string> {
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

  /** @param exitCode - 2 where the command line is to be another one, 1 where the deployment failed, 4 where it needs a person */
  constructor(message: string, exitCode: 1 | 2 | 4 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
