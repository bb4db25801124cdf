import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { keyFileName, keyIn } from '#shared/net/loopback.ts';
import { packageFolder } from '#shared/places.ts';

const ready = z.object({
  aws: z.string(),
  gateway: z.string(),
  /** That of a real gateway is not printed. */
  token: z.string().default(''),
  /** The address that opens its console; a version before 1.0 has none. */
  console: z.string().optional(),
  bucket: z.string(),
  region: z.string(),
  queues: z.object({ commands: z.string(), uploads: z.string() }),
});

/**
 * `npm start` as a newcomer runs it: its own process, its own folder of state, ports that are free.
 */
export interface StageProcess extends z.infer<typeof ready> {
  readonly dataDir: string;
  /** Of that folder. */
  readonly key: AccessKey;
  readonly pid: number;
  /** Everything that it printed so far. */
  readonly output: () => string;
  /** Ends it as the signal says and waits for its end; the exit code, if there is one. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Runs the operator's command against it. */
  readonly autopilot: (...args: readonly string[]) => Promise<CommandResult>;
  /** A page of the embedded gateway's control surface. */
  readonly control: ReturnType<typeof controlOf>;
}

/** Asks a page of a gateway's control surface; the document that it answers, if it does. */
export function controlOf(gatewayUrl: string) {
  return async (path: string, method = 'GET', body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const answer = await fetch(`${gatewayUrl}/_control${path}`, { method, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} of the control surface was answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** What the operator's command said. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its JSON document, where --json was given. */
  readonly json: () => Record<string, unknown>;
}

/** A folder for the state of one test file. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'autopilot-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a stage and waits for its READY line; rejects with its output if it ends before. */
export async function startStageProcess(dataDir: string, ...args: readonly string[]): Promise<StageProcess> {
  return startStageOf(packageFolder, dataDir, ...args);
}

/** The programs of a checkout, or of the product that is installed in a folder. */
function programsIn(productDir: string): { readonly start: readonly string[]; readonly autopilot: string } {
  const installed = join(productDir, 'node_modules', 'gateway-autopilot', 'cli', 'autopilot.mjs');
  return existsSync(installed)
    ? { start: [installed, 'start'], autopilot: installed }
    : { start: ['--import', './shared/require-node.mjs', 'local/start.ts'], autopilot: 'cli/autopilot.mjs' };
}

/** Starts a stage of the product that lies in a folder, which may be another version. */
export async function startStageOf(
  productDir: string,
  dataDir: string,
  ...args: readonly string[]
): Promise<StageProcess> {
  const words = ['--data', dataDir, '--port', '0', '--gateway-port', '0', ...args];
  const child = spawn(process.execPath, [...programsIn(productDir).start, ...words], {
    cwd: productDir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const line = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /^READY (\{.*\})$/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    child.once('close', (code) => reject(new Error(`npm start ended with ${code} before READY:\n${output}`)));
  });
  const address = ready.parse(JSON.parse(await line));

  return {
    ...address,
    dataDir,
    key: keyIn(readFileSync(join(dataDir, keyFileName), 'utf8')) ?? { accessKeyId: '', secretAccessKey: '' },
    pid: child.pid ?? 0,
    output: () => output,
    end: async (signal) => endProcess(child, signal),
    autopilot: async (...command) => runAutopilotOf(productDir, dataDir, command),
    control: controlOf(address.gateway),
  };
}

/** Runs `npm start` if it is expected to fail, and gives its exit code and words. */
export async function failToStart(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--import', './shared/require-node.mjs', 'local/start.ts', ...args], {
    cwd: packageFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, output };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
  return child.exitCode;
}

interface CommandRun {
  /** What is piped into it. */
  readonly input?: string;
}

/** Runs the operator's command against the stage that has its state in a folder. */
export async function runAutopilot(
  dataDir: string,
  args: readonly string[],
  how: CommandRun = {},
): Promise<CommandResult> {
  return runAutopilotOf(packageFolder, dataDir, args, how);
}

async function runAutopilotOf(
  productDir: string,
  dataDir: string,
  args: readonly string[],
  { input = '' }: CommandRun = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [programsIn(productDir).autopilot, ...args], {
    cwd: productDir,
    // As npx runs it; under `npm test` the hints would name another program.
    env: { ...process.env, AUTOPILOT_DATA: dataDir, npm_command: 'exec' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that reads nothing may have ended before.
  child.stdin.on('error', () => {}).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => (stdout += String(text)));
  child.stderr.on('data', (text) => (stderr += String(text)));
  const [code] = await once(child, 'close');
  return {
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr,
    json: () => z.record(z.string(), z.unknown()).parse(JSON.parse(stdout)),
  };
}

/**
 * Polls until a condition holds; a bounded wait of many short looks, so that no test depends on how
 * fast a machine is.
 */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined | false>,
  withinMs = 300_000,
): Promise<Result> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
