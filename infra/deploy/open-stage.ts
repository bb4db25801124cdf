import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ResourceLoss } from './resource-losses.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { docPage } from '#shared/places.ts';
import { commandLine } from '#shared/text/command-line.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { loadAutomation } from '../config/load-automation.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { type DeployDeps, Refusal, type StageOptions, type Tool, stageLineWords } from './stage-options.ts';

/** A deployed stage, or one that is to be. */
export interface OpenAssembly {
  readonly automation: ResolvedAutomation;
  /**
   * Synthesizes it. Everything that is shown, deployed or destroyed afterwards is this assembly, and nothing that was edited since.
   * @returns its folder
   */
  readonly synthesize: (how: { readonly validates: boolean }) => Promise<string>;
  /**
   * Calls the CDK with the assembly, and gives what it said.
   * @throws Refusal if it fails, with the cause and the next step in one line
   */
  readonly cdk: (...args: string[]) => Promise<string>;
  /** Reads what a change set that the CDK has made would replace or remove. */
  readonly readChangeSet: (arn: string) => Promise<readonly ResourceLoss[]>;
  /** Calls the operator's command about this stage. */
  readonly autopilot: (command: string) => Promise<ToolResult>;
}

/**
 * Looks whether there is such a stage, and whether it is one for an account.
 * @throws Refusal or ConfigurationError, before anything is called
 */
export async function openAssembly(options: StageOptions, deps: DeployDeps): Promise<OpenAssembly> {
  const { stage, profile } = options;
  refuseThisMachine(deps.env['AWS_ENDPOINT_URL']);
  const { automation, numbers } = await loadAutomation({ configPath: deps.configPath, stage });
  if (numbers.isLocal)
    throw new Refusal(`the stage ${stage} is for one machine. To run it: ${printedLine(['start', '--stage', stage])}`);

  const directory = join(deps.buildDir, 'assembly', stage);
  const way = stageLineWords(options);
  const where = way.slice(2);
  const explain = async (said: string) => {
    const used = profile ?? deps.env['AWS_PROFILE'] ?? deps.env['AWS_DEFAULT_PROFILE'] ?? 'default';
    return lacksCredentials(said) && (await deps.asksForMfa(used)) ? explainMfa(used) : explainFailure(said, options);
  };
  return {
    automation,
    async synthesize({ validates }) {
      await rm(directory, { recursive: true, force: true }); // assets of other days
      const context = { stage, config: deps.configPath, buildDir: deps.buildDir };
      const settings = { CDK_OUTDIR: directory, CDK_VALIDATION: String(validates) };
      const env = { ...deps.env, ...settings, CDK_CONTEXT_JSON: JSON.stringify(context) };
      const { exitCode } = await runTool(deps.app, [], { ...deps, env });
      if (exitCode !== 0) throw new Refusal(`${stage} cannot be synthesized, as it says above`, 1);
      return directory;
    },
    async cdk(...args) {
      const env = { ...deps.env, CDK_DISABLE_CLI_TELEMETRY: 'true' };
      const words = [...args, '--app', directory, '--no-notices', ...where];
      const { exitCode, said } = await runTool(deps.cdk, words, { ...deps, env });
      if (exitCode === 0) return said;
      throw new Refusal((await explain(said)) ?? `cdk ${args[0]} failed, as it says above`, 1);
    },
    readChangeSet: async (arn) => deps.readChangeSet(arn, profile),
    autopilot: async (command) => runTool(deps.autopilot, [command, '--aws', ...way], deps),
  };
}

/** Left over from work with the run on one machine, whose emulators are no account. */
function refuseThisMachine(endpoint: string | undefined): void {
  if (endpoint === undefined || !isLoopbackUrl(endpoint)) return;
  throw new Refusal(`AWS_ENDPOINT_URL is ${endpoint}, which is this machine: unset it`);
}

/** How a program ended. */
interface ToolResult {
  readonly exitCode: number;
  /** What it said on both channels, without colours; the end of it if it said much. */
  readonly said: string;
}

/** More than the longest explanation of a failure. */
const keptCharacters = 100_000;

/** Runs a program in the project, hands on what it says while it says it, and remembers it. It gets no input: nothing is asked twice. */
async function runTool(
  [program, ...words]: Tool,
  args: readonly string[],
  deps: Pick<DeployDeps, 'stdout' | 'stderr'> & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ToolResult> {
  const { stdout, stderr, env } = deps;
  const child = spawn(program, [...words, ...args], {
    // Behind a pipe it would print no colours.
    env: { ...env, ...(stderr.isTTY === true ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (source: NodeJS.ReadableStream, target: NodeJS.WritableStream) => {
    source.setEncoding('utf8');
    source.on('data', (text: string) => {
      target.write(text);
      said = (said + text).slice(-keptCharacters);
    });
  };
  hear(child.stdout, stdout);
  hear(child.stderr, stderr);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} cannot be run: ${error.message}`, { cause: error })));
    // A program that a signal ended has no code of its own.
    child.once('close', (code) => resolve({ exitCode: code ?? 1, said: stripVTControlCharacters(said) }));
  });
}

function bootstrapLine(options: StageOptions): string {
  return printedLine(['bootstrap', ...stageLineWords(options)]);
}

/** The command that lets a protected stack be deleted. */
export function unprotectCommand(options: StageOptions): string {
  const words = ['--stack-name', stackNames(options.stage).state, ...stageLineWords(options).slice(2)];
  return `aws cloudformation update-termination-protection --no-enable-termination-protection ${commandLine(words)}`;
}

/** What a person needs to know of a failure that the CDK explains at length; undefined if its own words are the best there are. */
function explainFailure(said: string, options: StageOptions): string | undefined {
  for (const { pattern, explain } of causes) {
    const found = pattern.exec(said);
    if (found !== null) return explain(options, found[1] ?? '');
  }
  return undefined;
}

/** Returns true if the CDK found no credentials. It says the same of a profile that asks for an MFA code. */
function lacksCredentials(said: string): boolean {
  return noCredentials.test(said);
}

/**
 * The line about a profile that asks for an MFA code. The CDK gets no input here, and would ask for
 * a new code at each call. The AWS CLI asks once ("aws configure export-credentials" in its command
 * reference).
 */
function explainMfa(profile: string): string {
  return (
    `the profile ${profile} asks for an MFA code, and nothing here can enter one: ` +
    `eval "$(aws configure export-credentials --profile ${profile} --format env)", then repeat without --profile and AWS_PROFILE`
  );
}

const noCredentials =
  /Unable to resolve AWS account|no credentials have been configured|Could not load credentials|Unable to locate credentials/i;

/** By the words of aws-cdk 2.1148.1 and of AWS; what comes first also covers what follows. The first group of a pattern is the name of a resource. */
const causes: readonly {
  readonly pattern: RegExp;
  readonly explain: (options: StageOptions, name: string) => string;
}[] = [
  {
    pattern: /ExpiredToken|token (?:included in the request )?(?:is|has) expired|SSO session .*(?:expired|invalid)/i,
    explain: () => 'your AWS credentials have expired: sign in again (aws sso login), then repeat',
  },
  {
    pattern: /InvalidClientTokenId|UnrecognizedClientException|security token included in the request is invalid/,
    explain: () => 'AWS does not know your credentials: look at them with aws sts get-caller-identity, then repeat',
  },
  {
    pattern: noCredentials,
    explain: () => 'there are no AWS credentials here: aws sso login or --profile NAME, then repeat',
  },
  {
    pattern: /Region is missing|Missing region/i,
    explain: () => 'no AWS region is set: --region NAME, or one in the profile, then repeat',
  },
  {
    // The bootstrap compares its template with that of CDKToolkit, which is still the same: it makes no bucket that was deleted by hand.
    pattern: /No bucket named '([^']+)'/,
    explain: (options, bucket) =>
      `the bucket ${bucket} of the CDK's bootstrap is missing. If the stack CDKToolkit is still there: \`aws cloudformation delete-stack --stack-name CDKToolkit\`. Then \`${bootstrapLine(options)}\`, and repeat`,
  },
  {
    pattern: /Bucket named '([^']+)' exists, but we dont have access to it/,
    explain: (_options, bucket) =>
      `the bucket ${bucket} of the CDK's bootstrap is closed to you: deploy as a role that may use it, or look whose it is, then repeat`,
  },
  {
    // Not the mere name of its parameter: every diff of a new stack has that.
    pattern:
      /SSM parameter \/cdk-bootstrap\S+ not found|requires bootstrap stack version|has the environment been bootstrapped|must be uploaded to S3|Use 'cdk bootstrap' to correct this/i,
    explain: (options) =>
      `this account and region are not ready for the CDK, or by an old version of it: \`${bootstrapLine(options)}\`, once, then repeat`,
  },
  {
    // The words of a resource that fails, and of CloudFormation's look at names before it begins.
    pattern: /["' ]([\w.-]+)'? already exists\b.*(?:HandlerErrorCode: AlreadyExists|\(at \/Resources\/)/,
    explain: (_options, name) =>
      `${name} is in the account already, kept from when it left a stack: ${docPage('deploying.md')}, "Back to what was kept", says how to go on with it`,
  },
  {
    pattern: /TerminationProtection is enabled/,
    explain: (options) =>
      `${stackNames(options.stage).state} is protected from being deleted: \`${unprotectCommand(options)}\`, then repeat`,
  },
];
