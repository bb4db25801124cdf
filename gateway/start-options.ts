/** The command line of `npm run gateway`. */
import { parseArgs } from 'node:util';

/** What `--help` prints. */
export const usage = `Serves the management interface of an AI security gateway, with example data, on this machine.

  autopilot gateway [options]

  --port N          port to listen on                      (default 4010; 0 picks a free one)
  --host ADDRESS    address to listen on                   (default 127.0.0.1)
  --data FILE       SQLite file that keeps the state       (default: in memory, gone at the end)
  --token TOKEN     bearer token that callers must send    (default: $AUTOPILOT_GATEWAY_TOKEN, else a new one)
  --statuses A,B    the only status words a run may take   (default: any word)
  --no-restart      a run that is over may not start again (default: it may)
  --strict          preserve and scannerVersions must be texts, as the interface shows them
                    (default: preserve may be a boolean, scannerVersions a list)
  --help            this text

/_control (datasets, runs, requests, faults) is served on loopback addresses only.
`;

/** The options as given; the token may still be missing. */
export interface GatewayStartOptions {
  readonly port: number;
  readonly host: string;
  readonly database: string;
  readonly token: string | undefined;
  readonly statuses: readonly string[] | undefined;
  readonly allowRestart: boolean;
  readonly strict: boolean;
  readonly help: boolean;
}

/** Reads the command line; throws one sentence a person can act on. */
export function readGatewayOptions(args: readonly string[], environmentToken: string | undefined): GatewayStartOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string', default: ':memory:' },
      token: { type: 'string' },
      statuses: { type: 'string' },
      'no-restart': { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (!/^\d{1,5}$/u.test(values.port) || Number(values.port) > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}".`);
  }
  const token = values.token ?? (environmentToken === '' ? undefined : environmentToken);
  if (token !== undefined && !/^[\w.~+/-]+=*$/u.test(token)) {
    throw new Error('The token may hold letters, digits and . _ ~ + / - only, as a bearer token must.');
  }
  const statuses = values.statuses?.split(',').filter((word) => word !== '');
  return {
    port: Number(values.port),
    host: values.host,
    database: values.data,
    token,
    statuses,
    allowRestart: !values['no-restart'],
    strict: values.strict,
    help: values.help,
  };
}
