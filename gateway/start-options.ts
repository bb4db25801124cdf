/** The command line of `npm run gateway`. */
import { parseArgs } from 'node:util';
import { defaultProfile, type ProfileOptions, readProfile } from './model/profile.ts';

/** What `--help` prints. */
export const usage = `Serves the management interface of an AI security gateway, with example data, on this machine.

  autopilot gateway [options]

  --port N          port to listen on                      (default 4010; 0 picks a free one)
  --host ADDRESS    address to listen on                   (default 127.0.0.1)
  --data FILE       SQLite file that keeps the state       (default: in memory, gone at the end)
  --profile NAME    real: runs begin at their startAt, end by themselves and run once
                    interface: any status word, and all else that the interface leaves open
                                                           (default: ${defaultProfile})
  --run-length TIME real: how long each run lasts          (default: nightly runs 10h, others 45m)
  --late ANSWER     real: accept or refuse a change of a run that has begun or ended
                                                           (default: accept; it changes nothing)
  --help            this text

Callers send the bearer token in AUTOPILOT_GATEWAY_TOKEN, else a new one that it
prints. It is no option: every user of the machine reads command lines.
/_control (datasets, runs, requests, faults) is served on loopback addresses only,
on Linux to your own programs and root's.
`;

/** The options as given; the token may still be missing. */
export interface GatewayStartOptions {
  readonly port: number;
  readonly host: string;
  readonly database: string;
  readonly token: string | undefined;
  readonly behaviour: ProfileOptions;
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
      profile: { type: 'string' },
      'run-length': { type: 'string' },
      late: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!/^\d{1,5}$/u.test(values.port) || Number(values.port) > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}".`);
  }
  const token = environmentToken === '' ? undefined : environmentToken;
  if (token !== undefined && !/^[\w.~+/-]+=*$/u.test(token)) {
    throw new Error('AUTOPILOT_GATEWAY_TOKEN may hold letters, digits and . _ ~ + / - only, as a bearer token must.');
  }
  return {
    port: Number(values.port),
    host: values.host,
    database: values.data,
    token,
    behaviour: readProfile({ profile: values.profile, runLength: values['run-length'], late: values.late }),
    help: values.help,
  };
}
