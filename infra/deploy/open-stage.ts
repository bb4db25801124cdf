import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedChange } from '#shared/aws/change-set.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { loadAutomation } from '../config/load-automation.ts';
import { type DeployDeps, Refusal, type Tool } from './deploy-deps.ts';
import { explainFailure, explainMfa, lacksCredentials } from './explain-failure.ts';
import type { StageOptions } from './stage-options.ts';
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** A deployed stage, or one that is to be. */
export interface OpenStage {
  readonly automation: ResolvedAutomation;
  /**
   * Synthesizes it. Everything that is shown, deployed or destroyed afterwards is this assembly, and nothing that was edited since.
   * @returns its folder
   */
  readonly synthesize: (how: { readonly validates: boolean }) => Promise<string>;
  /**
   * Calls the CDK with the assembly, and gives what it said.
   * @throws Refusal where it fails, with the cause and the next step in one line
   */
  readonly cdk: (...args: string[]) => Promise<string>;
  /** Reads a change set that the CDK has made. */
  readonly readChangeSet: (arn: string) => Promise<readonly PlannedChange[]>;
  /** Calls the operator's command about this stage. */
  readonly autopilot: (command: string) => Promise<ToolResult>;
}

/**
 * Looks whether there is such a stage, and whether it is one for an account.
 * @throws Refusal or ConfigurationError, before anything is called
 */
export async function openStage(options: StageOptions, deps: DeployDeps): Promise<OpenStage> {
  const { stage, profile, region } = options;
  refuseThisMachine(deps.env['AWS_ENDPOINT_URL']);
  const { automation, numbers } = await loadAutomation({ configPath: deps.configPath, stage });
  if (numbers.isLocal) throw new Refusal(`the stage ${stage} is for one machine: npx autopilot start runs it`);

  const directory = join(deps.buildDir, 'assembly', stage);
  const where = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(region === undefined ? [] : ['--region', region]),
  ];
  const explain = async (said: string) => {
    const used = profile ?? deps.env['AWS_PROFILE'] ?? deps.env['AWS_DEFAULT_PROFILE'] ?? 'default';
    return lacksCredentials(said) && (await deps.asksForMfa(used)) ? explainMfa(used) : explainFailure(said, stage);
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
    autopilot: async (command) => runTool(deps.autopilot, [command, '--aws', '--stage', stage, ...where], deps),
  };
}

/** Left over from work with the run on one machine, whose emulators are no account. */
function refuseThisMachine(endpoint: string | undefined): void {
  if (endpoint === undefined || !isLoopbackUrl(endpoint)) return;
  throw new Refusal(`AWS_ENDPOINT_URL is ${endpoint}, which is this machine: unset it`);
}

/** How a program ended. */
export interface ToolResult {
  readonly exitCode: number;
  /** What it said on both channels, without colours; the end of it where it said much. */
  readonly said: string;
}

/** More than the longest explanation of a failure. */
const keptCharacters = 100_000;

/** Runs a program in the project, hands on what it says while it says it, and remembers it. It gets no input: nothing is asked twice. */
export async function runTool(
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
