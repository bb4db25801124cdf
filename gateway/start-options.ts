/** The command line of `npm run gateway`. */
import { type LineSpec, readLine, WrongLine } from '#shared/text/program-arguments.ts';
import { defaultProfile, type ProfileOptions, readProfile } from './model/profile.ts';

/** What `autopilot gateway` takes. */
export const gatewaySpec: LineSpec = {
  says: 'Serves the management interface of an AI security gateway, with example data, on this machine.',
  more: 'Callers send the bearer token in AUTOPILOT_GATEWAY_TOKEN, else a new one that it prints: every user of the machine reads command lines. /_control (datasets, runs, requests, faults) is served on loopback addresses only, on Linux to your own programs and those of root.',
  options: {
    '--port <N>': 'port to listen on (default 4010; 0 picks a free one)',
    '--host <ADDRESS>': 'address to listen on (default 127.0.0.1)',
    '--data <FILE>': 'SQLite file that keeps the state (default: in memory)',
    '--profile <NAME>': `real: runs begin at their startAt, end automatically and run once; interface: any status word (default ${defaultProfile})`,
    '--run-length <TIME>': 'real: how long each run lasts (default: nightly 7h, others 45m)',
    '--late <ANSWER>':
      'real: accept or refuse a change of a run that has begun or ended (default accept; it changes nothing)',
  },
  examples: ['autopilot gateway --port 4011 --profile interface'],
};

/** The options as given; the token may still be missing. */
export interface GatewayStartOptions {
  readonly port: number;
  readonly host: string;
  readonly database: string;
  readonly token: string | undefined;
  readonly behaviour: ProfileOptions;
}

/** Reads the command line; a text if its help was asked for. Throws one sentence a person can act on. */
export function readGatewayOptions(
  argv: readonly string[],
  environmentToken: string | undefined,
): GatewayStartOptions | string {
  const line = lineOf(argv);
  if (typeof line === 'string') return line;
  const port = line.text('port') ?? '4010';
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${port}".`);
  }
  const token = environmentToken === '' ? undefined : environmentToken;
  if (token !== undefined && !/^[\w.~+/-]+=*$/u.test(token)) {
    throw new Error('AUTOPILOT_GATEWAY_TOKEN may hold letters, digits and . _ ~ + / - only, as a bearer token must.');
  }
  return {
    port: Number(port),
    host: line.text('host') ?? '127.0.0.1',
    database: line.text('data') ?? ':memory:',
    token,
    behaviour: readProfile({
      profile: line.text('profile'),
      runLength: line.text('run-length'),
      late: line.text('late'),
    }),
  };
}

function lineOf(argv: readonly string[]) {
  try {
    return readLine('autopilot gateway', gatewaySpec, argv);
  } catch (error) {
    throw error instanceof WrongLine ? new Error(error.sentence, { cause: error }) : error;
  }
}
