import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type * as z from 'zod';

/** A user without rights of its own on every Linux. */
const other = ['--reuid=65534', '--regid=65534', '--clear-groups'];

/** Nothing of ours is in the environment of another user. */
const env = { PATH: process.env['PATH'], HOME: '/' };

/** Why there is no other user here; `undefined` if there is one. */
export function whyNoOtherUser(): string | undefined {
  if (process.geteuid?.() !== 0) return 'only root can become another user, and this is not root';
  const { error, status } = spawnSync('setpriv', [...other, process.execPath, '--version'], { cwd: '/', env });
  if (error !== undefined) return `setpriv cannot be run: ${error.message}`;
  return status === 0 ? undefined : `another user cannot run ${process.execPath}`;
}

/**
 * Runs a script as another user, and gives what it wrote as JSON.
 * @param script - the body of an async function with `input` and `fs`, which returns the result
 */
export function asOtherUser<Result>(script: string, input: object, result: z.ZodType<Result>): Result {
  const { stdout, stderr } = spawnSync('setpriv', commandOf(script, input), { cwd: '/', env, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return result.parse(JSON.parse(stdout));
}

/**
 * Starts a script as another user; it goes on until it is killed, and `firstLine` is the first that
 * it wrote.
 */
export async function startAsOtherUser(
  script: string,
  input: object,
): Promise<{ child: ChildProcess; firstLine: string }> {
  const child = spawn('setpriv', commandOf(script, input), { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  return { child, firstLine: String(chunk).trim() };
}

function commandOf(script: string, input: object): string[] {
  const main = `const input = ${JSON.stringify(input)}; const fs = require('node:fs');
    (async () => { ${script} })().then((result) => { if (result !== undefined) console.log(JSON.stringify(result)); });`;
  return [...other, process.execPath, '-e', main];
}
