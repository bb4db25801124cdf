import { StartProblem } from '../state/start-problem.ts';
import { resolve } from 'node:path';
import { type LineArguments, type LineSpec, readLine, WrongLine } from '#shared/text/program-arguments.ts';
import { defaultProfile, type ProfileOptions, readProfile } from '#gateway/model/profile.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { embeddedGateway, usualStage } from '#shared/state-folder/kept-start.ts';
import { configFileName, stateFolderName, usualGatewayUrl, usualPort } from '#shared/places.ts';

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Configuration file. */
  readonly configPath: string;
  readonly stage: string;
  /** What the command line names, and does not take by default. */
  readonly named: ReadonlySet<'config' | 'stage' | 'gateway'>;
  /** Folder of the state. */
  readonly dataDir: string;
  /** Forget the state first. */
  readonly isFresh: boolean;
  /** A gateway to use instead of the embedded one. */
  readonly gatewayUrl?: string;
  /** A program on this machine that gets what webhooks get. */
  readonly webhooksUrl?: string | undefined;
  /** Of the AWS front door; 0 takes any free port. */
  readonly port: number;
  /** Of the embedded gateway; 0 takes any free port. */
  readonly gatewayPort: number;
  /** How the embedded gateway behaves. */
  readonly embedded: ProfileOptions;
}

/** The variable that holds the token of a gateway that is not the embedded one. */
export const tokenVariable = 'AUTOPILOT_GATEWAY_TOKEN';

/** Takes the token out of an environment. Every program that is started inherits what is left: the CDK app with the user's own code, and the bundler. */
export function takeToken(env: Record<string, string | undefined>): string | undefined {
  const token = env[tokenVariable];
  Reflect.deleteProperty(env, tokenVariable);
  return token;
}

const usualGatewayPort = Number(new URL(usualGatewayUrl).port);

/** What leads another command to the stage that was typed. */
function wayOf(text: LineArguments['text']): readonly string[] {
  const [stage, data] = [text('stage'), text('data')];
  return [...(stage === undefined ? [] : ['--stage', stage]), ...(data === undefined ? [] : ['--data', resolve(data)])];
}

/** What `autopilot start` takes. */
export const startSpec: LineSpec = {
  says: 'Runs a stage on this machine, and prints READY with the addresses when everything is up. Ctrl-C keeps the state.',
  meant: (name, { text }) => ({
    command: ['autopilot', 'send', 'start', name, ...wayOf(text)],
    says: '. A run is started by send start',
  }),
  more: 'The state keeps its gateway, configuration and stage: another one is taken if it is named.',
  options: {
    '--config <FILE>': `configuration (default ${configFileName})`,
    '--stage <NAME>': `stage of it (default ${usualStage}); one that is deployed takes --gateway`,
    '--fresh': 'forget the state of earlier runs first',
    '--data <DIR>': `where state is kept (default ${stateFolderName})`,
    '--gateway <URL>': `a real gateway, its token in ${tokenVariable}; ${embeddedGateway} goes back to the embedded one`,
    '--webhooks <URL>': 'a program on this machine that gets what notify.webhooks would get',
    '--port <N>': `AWS front door (default ${usualPort})`,
    '--gateway-port <N>': `embedded gateway (default ${usualGatewayPort})`,
    '--gateway-profile <P>': `embedded gateway: real or interface (default ${defaultProfile})`,
    '--gateway-run-length <T>': 'real: how long each run lasts (autopilot gateway --help)',
    '--gateway-late <A>': 'real: accept or refuse a late change of a run',
  },
};

/**
 * Reads the command line; paths are resolved from `cwd`.
 * @returns a text if its help was asked for
 * @throws StartProblem in one sentence
 */
export function readStartOptions(args: readonly string[], cwd: string): StartOptions | string {
  const line = parse(args);
  if (typeof line === 'string') return line;
  const { text } = line;
  const webhooks = text('webhooks');
  const options = {
    configPath: resolve(cwd, text('config') ?? configFileName),
    stage: text('stage') ?? usualStage,
    named: new Set((['config', 'stage', 'gateway'] as const).filter((name) => text(name) !== undefined)),
    dataDir: resolve(cwd, text('data') ?? stateFolderName),
    isFresh: line.flag('fresh'),
    port: portOf('--port', text('port'), usualPort),
    gatewayPort: portOf('--gateway-port', text('gateway-port'), usualGatewayPort),
    embedded: embeddedOf(text),
    webhooksUrl: webhooks === undefined ? undefined : loopbackUrlOf(webhooks),
    gatewayUrl: gatewayOf(text('gateway')),
  };
  const { port, gatewayPort, gatewayUrl } = options;
  if (gatewayUrl === undefined && port !== 0 && port === gatewayPort)
    throw wrongLine(`--port and --gateway-port are both ${port}: give one of them another number`);
  return options;
}

function parse(args: readonly string[]): LineArguments | string {
  try {
    return readLine('autopilot start', startSpec, args);
  } catch (error) {
    if (!(error instanceof WrongLine)) throw error;
    throw wrongLine(error.sentence, error);
  }
}

function embeddedOf(text: LineArguments['text']): ProfileOptions {
  try {
    const [profile, runLength, late] = [text('gateway-profile'), text('gateway-run-length'), text('gateway-late')];
    return readProfile({ profile, runLength, late }, 'gateway-');
  } catch (error) {
    throw wrongLine(error instanceof Error ? error.message.replace(/\.$/, '') : String(error), error);
  }
}

function portOf(flag: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw wrongLine(`${flag} ${text} is no port: a number from 1 to 65535`);
}

function gatewayOf(text: string | undefined): string | undefined {
  if (text === undefined || text === embeddedGateway) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrongLine(`--gateway ${text} is no URL: write it with https://`);
}

/** No notice leaves this machine: it could name runs and files of a real gateway. */
function loopbackUrlOf(text: string): string {
  if (isLoopbackUrl(text) && new URL(text).protocol === 'http:') return text;
  throw wrongLine(`--webhooks ${text} is no address of this machine: write it as http://127.0.0.1:PORT`);
}

/** A problem of the command line itself: nothing was done. */
function wrongLine(message: string, cause?: unknown): StartProblem {
  return new StartProblem(message, { exitCode: 2, cause });
}
