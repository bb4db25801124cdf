import { join } from 'node:path';
import { type PlannedChange, readChangeSet } from '#shared/aws/change-set.ts';
import { createCloudFormationClient } from '#shared/aws/clients/cloudformation-client.ts';
import { asksForMfa } from '#shared/aws/mfa-profile.ts';
import { projectRoot } from '../bundle/build-functions.ts';
import { createInterface } from 'node:readline/promises';

/** A program, and the words that every call of it begins with. */
export type Tool = readonly [program: string, ...words: string[]];

/** What deploying and destroying reach for. */
export interface DeployDeps {
  readonly cdk: Tool;
  readonly autopilot: Tool;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** The configuration file, absolute. */
  readonly configPath: string;
  /** Gets the assembly of the stage. */
  readonly buildDir: string;
  /** Whether a profile of the AWS configuration asks for an MFA code. */
  readonly asksForMfa: (profile: string) => Promise<boolean>;
  /** Reads a change set by its ARN, with a profile of the AWS configuration or the credentials of the environment. */
  readonly readChangeSet: (arn: string, profile: string | undefined) => Promise<readonly PlannedChange[]>;
}

/** The project's own: the CDK's command line as the lock file pins it, whatever else is installed. */
export function createDeployDeps(terminal: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>): DeployDeps {
  const { stdin, stdout, stderr, env } = terminal;
  return {
    cdk: [process.execPath, join(projectRoot, 'node_modules', 'aws-cdk', 'bin', 'cdk')],
    autopilot: [process.execPath, join(projectRoot, 'cli', 'autopilot.mjs')],
    env,
    stdin,
    stdout,
    stderr,
    configPath: join(projectRoot, 'automation.config.ts'),
    buildDir: join(projectRoot, 'build'),
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
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
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
