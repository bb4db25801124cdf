import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { packageFolder } from '#shared/places.ts';
import { asksForMfa, type DeployDeps, Refusal, type Tool } from '#infra/deploy/stage-options.ts';

/** What a test says of the world. */
export interface World {
  /** What is typed, line by line; undefined without a terminal. */
  readonly typed?: string;
  /** What a program says and answers, by its first word or its first two. @default nothing, 0 */
  readonly answers?: Readonly<Record<string, { readonly says?: string; readonly exitCode?: number }>>;
  readonly env?: Readonly<Record<string, string>>;
  /** @default there is no change set */
  readonly readChangeSet?: DeployDeps['readChangeSet'];
  /** The configuration file. @default that of the project, which acts */
  readonly configPath?: string;
  /** What the deployed stage has started and not stopped; an error if it cannot be read. @default none */
  readonly startedRuns?: readonly string[] | Error;
  /** What the deployed stage answers of its settings. @default there is no such stage */
  readonly settings?: object | Error;
}

/** Runs a command with programs that write down how they are called: real processes, that reach nothing. */
export async function runWith(
  command: (argv: readonly string[], deps: DeployDeps) => Promise<number>,
  line: string,
  { typed, answers = {}, env = {}, readChangeSet = noChangeSet, configPath, startedRuns = [], settings }: World = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-deploy-'));
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'calls'), '');
  for (const [words, { says = '', exitCode = 0 }] of Object.entries(answers)) {
    writeFileSync(join(tools, words), `${exitCode}\n${says}`);
  }
  const stderr = new PassThrough();
  const stdin = new PassThrough();
  stdin.end(typed ?? '');
  try {
    const ended = await outcomeOf(async () =>
      command(line.split(' ').filter(Boolean), {
        cdk: tool('cdk'),
        app: tool('app'),
        autopilot: tool('autopilot'),
        env: { ...process.env, AWS_ENDPOINT_URL: undefined, FAKE_TOOL: tools, ...env },
        stdin: Object.assign(stdin, { isTTY: typed !== undefined }),
        stdout: stderr,
        stderr,
        configPath: configPath ?? join(packageFolder, 'automation.config.ts'),
        buildDir: folder,
        asksForMfa,
        async readStartedRuns() {
          if (startedRuns instanceof Error) throw startedRuns;
          return startedRuns;
        },
        async readSettings() {
          if (settings instanceof Error) throw settings;
          return settings;
        },
        readChangeSet,
      }),
    );
    stderr.end();
    const calls = readFileSync(join(tools, 'calls'), 'utf8')
      .replaceAll(folder, 'BUILD')
      .split('\u001f\n')
      .filter(Boolean)
      .map(callOf);
    /** Of the CDK's command line, without what every call has; `synth` stands for the app. */
    const cdk = calls.filter(({ program }) => program !== 'autopilot').map(({ args }) => args.join(' '));
    return { ...ended, said: await text(stderr), calls, cdk: cdk.map((one) => one.replace(' --no-notices', '')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function noChangeSet(arn: string): Promise<never> {
  throw new Error(`there is no ${arn}`);
}

function tool(name: string): Tool {
  return ['/bin/sh', join(import.meta.dirname, 'fixture', 'fake-tool.sh'), name];
}

/** One call, as the program has written it down: its name, its settings, which are empty if they are not set, and its words. */
function callOf(line: string) {
  const [program = '', CDK_VALIDATION, CDK_DISABLE_CLI_TELEMETRY, ...args] = line.split('\u001f');
  return { program, args, CDK_VALIDATION, CDK_DISABLE_CLI_TELEMETRY };
}

/** Its exit code, which is undefined if it was refused without one. */
async function outcomeOf(run: () => Promise<number>): Promise<{ exitCode?: number; refusal?: string }> {
  try {
    return { exitCode: await run() };
  } catch (error) {
    if (error instanceof Error && /^(?:Refusal|ConfigurationError)$/.test(error.name)) {
      return { ...(error instanceof Refusal && { exitCode: error.exitCode }), refusal: error.message };
    }
    throw error;
  }
}
