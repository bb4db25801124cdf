import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { loadAutomation } from '../config/load-automation.ts';
import type { DeployDeps } from './deploy-deps.ts';
import { explainFailure } from './explain-failure.ts';
import { Refusal } from './refusal.ts';
import { runTool, type ToolResult } from './run-tool.ts';
import type { StageOptions } from './stage-options.ts';

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
  if (numbers.isLocal) throw new Refusal(`the stage ${stage} is for one machine: npm start runs it`);

  const directory = join(deps.buildDir, 'assembly', stage);
  const where = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(region === undefined ? [] : ['--region', region]),
  ];
  const call = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const quiet = { ...deps.env, CDK_DISABLE_CLI_TELEMETRY: 'true', ...env };
    const { exitCode, said } = await runTool(deps.cdk, [...args, '--no-notices', ...where], { ...deps, env: quiet });
    if (exitCode === 0) return said;
    throw new Refusal(explainFailure(said, stage) ?? `cdk ${args[0]} failed, as it says above`, 1);
  };
  return {
    automation,
    async synthesize({ validates }) {
      await rm(directory, { recursive: true, force: true }); // assets of other days
      const context = ['--context', `stage=${stage}`, '--context', `config=${deps.configPath}`];
      await call(['synth', '--quiet', '--output', directory, ...context], { CDK_VALIDATION: String(validates) });
      return directory;
    },
    cdk: async (...args) => call([...args, '--app', directory]),
    autopilot: async (command) => runTool(deps.autopilot, [command, '--aws', '--stage', stage, ...where], deps),
  };
}

/** Left over from work with the run on one machine, whose emulators are no account. */
function refuseThisMachine(endpoint: string | undefined): void {
  if (endpoint === undefined || !isLoopbackUrl(endpoint)) return;
  throw new Refusal(`AWS_ENDPOINT_URL is ${endpoint}, which is this machine: unset it`);
}
