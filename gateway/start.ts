/** `npm run gateway`: the embedded gateway on its own, until Ctrl-C. */
import { randomBytes } from 'node:crypto';
import { startGateway } from './server.ts';
import { readGatewayOptions } from './start-options.ts';
import type { GatewayStartOptions } from './start-options.ts';

/** Runs the gateway until a signal ends it. What keeps it from starting is printed and is exit code 1, a wrong command line 2. */
export async function run(argv: readonly string[]): Promise<void> {
  let exitCode = 2;
  try {
    const options = readGatewayOptions(argv, process.env['AUTOPILOT_GATEWAY_TOKEN']);
    exitCode = 1;
    if (typeof options === 'string') process.stdout.write(`${options}\n`);
    else await open(options);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCode;
  }
}

async function open(options: GatewayStartOptions): Promise<void> {
  const token = options.token ?? randomBytes(24).toString('base64url');
  const { port, host, database, behaviour } = options;
  const gateway = await startGateway({ port, host, database, tokens: [token], ...behaviour }).catch(
    (error: unknown) => {
      throw new Error(sentenceOf(error, options), { cause: error });
    },
  );
  console.log(`Gateway at ${gateway.url}, state ${database === ':memory:' ? 'in memory' : `in ${database}`}. Try:

  curl -H 'Authorization: Bearer ${options.token === undefined ? token : '<your token>'}' '${gateway.url}/backend/v1/scanner-packages?limit=3'
`);
  const stop = () => void gateway.close();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

/** What to say of the file, by the error of SQLite. */
const fileProblems: ReadonlyMap<number, string> = new Map([
  [5, 'is in use, such as by a gateway that runs: end that program, or name another file with --data'],
  [8, 'is read-only for this user: change its permissions, or name another with --data'],
  [14, 'cannot be opened: check that this user may write it and its folder, or name another with --data'],
  [26, 'is not a database of this gateway: check --data'],
]);

/** Says in one sentence why the gateway could not start, and what to do. */
export function sentenceOf(error: unknown, options: GatewayStartOptions): string {
  const { message, code, syscall, errcode } = factsOf(error);
  if (code === 'ERR_SQLITE_ERROR') {
    // The low byte is the error, the rest says more about it.
    const problem = fileProblems.get(errcode & 0xff) ?? `cannot be used (${message}): name another with --data`;
    return `The file ${options.database} ${problem}.`;
  }
  if (syscall === 'mkdir') return `The file ${options.database} ${fileProblems.get(14)}.`;
  return addressProblem(code, options) ?? `The gateway could not start: ${message}`;
}

function factsOf(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error), errcode: 0 };
  return {
    message: error.message,
    code: 'code' in error ? error.code : undefined,
    syscall: 'syscall' in error ? error.syscall : undefined,
    errcode: 'errcode' in error ? Number(error.errcode) : 0,
  };
}

function addressProblem(code: unknown, { port, host }: GatewayStartOptions): string | undefined {
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use: choose another with --port, or end what listens there.`;
  if (code === 'EACCES') return `Port ${port} may not be opened by this user: choose one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `This machine has no address ${host}: check --host.`;
  return undefined;
}

if (import.meta.main) await run(process.argv.slice(2));
