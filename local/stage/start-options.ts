import { StartProblem } from '../state/start-problem.ts';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultProfile, type ProfileOptions, readProfile } from '#gateway/model/profile.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { embeddedGateway, usualStage } from '#shared/kept-start.ts';
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

/** Help of `npm start -- --help`. */
export const startHelp = `autopilot start [options]: runs a stage on this machine

  --config FILE        configuration (default ${configFileName})
  --stage NAME         stage of it (default ${usualStage}); one that is deployed takes --gateway
  --fresh              forget the state of earlier runs first
  --data DIR           where state is kept (default .autopilot)
  --gateway URL        a real gateway instead of the embedded one; its token in ${tokenVariable};
                       --gateway ${embeddedGateway} goes back to that one
  --webhooks URL       a program on this machine that gets what notify.webhooks would get
  --port N             AWS front door (default ${usualPort})
  --gateway-port N     embedded gateway (default ${usualGatewayPort})
  --gateway-profile P  embedded gateway: real or interface (default ${defaultProfile}), as autopilot gateway --help says
  --gateway-run-length T  real: how long each run lasts (default: nightly runs 10h, others 45m)
  --gateway-late A     real: accept or refuse a change of a run that has begun or ended (default accept)
  --help               this text

The state keeps its gateway, configuration and stage: another one is taken if it is named.
It prints a line READY when everything is up, with the addresses as JSON into a pipe; Ctrl-C ends it and keeps the state.
`;

/**
 * Reads the command line; paths are resolved from `cwd`.
 * @throws StartProblem in one sentence
 */
export function readStartOptions(args: readonly string[], cwd: string): StartOptions | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const options = {
    configPath: resolve(cwd, values.config ?? configFileName),
    stage: values.stage ?? usualStage,
    named: new Set((['config', 'stage', 'gateway'] as const).filter((name) => values[name] !== undefined)),
    dataDir: resolve(cwd, values.data ?? stateFolderName),
    isFresh: values.fresh ?? false,
    port: portOf('--port', values.port, usualPort),
    gatewayPort: portOf('--gateway-port', values['gateway-port'], usualGatewayPort),
    embedded: embeddedOf(values),
    webhooksUrl: values.webhooks === undefined ? undefined : loopbackUrlOf(values.webhooks),
    gatewayUrl: gatewayOf(values.gateway),
  };
  const { port, gatewayPort, gatewayUrl } = options;
  if (gatewayUrl === undefined && port !== 0 && port === gatewayPort)
    throw wrongLine(`--port and --gateway-port are both ${port}: give one of them another number`);
  return options;
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        stage: { type: 'string' },
        data: { type: 'string' },
        fresh: { type: 'boolean' },
        gateway: { type: 'string' },
        webhooks: { type: 'string' },
        port: { type: 'string' },
        'gateway-port': { type: 'string' },
        'gateway-profile': { type: 'string' },
        'gateway-run-length': { type: 'string' },
        'gateway-late': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw wrongLine(`${sentence}; npx autopilot start --help lists the options`, error);
  }
}

function embeddedOf(values: ReturnType<typeof parse>): ProfileOptions {
  try {
    const { 'gateway-profile': profile, 'gateway-run-length': runLength, 'gateway-late': late } = values;
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
