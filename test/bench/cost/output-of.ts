import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { plainEnvironment } from '../measure/run-subject.ts';

/** What a program of this folder wrote. */
export interface Output {
  readonly bytes: number;
  readonly lines: number;
  /** What it told its parent. */
  readonly told: unknown;
}

/**
 * What Lambda itself writes about one invocation, in its text format, which is the one that is
 * deployed. A cold start adds its length, 30 bytes more
 * (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html).
 */
const platformLines = [
  'START RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac Version: $LATEST',
  'END RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac',
  'REPORT RequestId: c793869b-ee49-115b-a5b6-4fd21e8dedac\tDuration: 175.83 ms\tBilled Duration: 176 ms\tMemory Size: 512 MB\tMax Memory Used: 164 MB\t',
] as const;

/** Bytes of the log that Lambda writes about one invocation. */
export const platformLogBytes = Buffer.byteLength(platformLines.map((line) => `${line}\n`).join(''));

/**
 * Runs a program in a process of its own, and counts what it writes.
 * @param program - its file in this folder
 * @param args - what it is told
 * @throws Error if it fails
 */
export async function outputOf(program: string, ...args: readonly string[]): Promise<Output> {
  const child = fork(join(import.meta.dirname, program), args, {
    execArgv: [],
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const written: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => void written.push(chunk));
  let told: unknown;
  child.on('message', (message) => (told = message));
  const ended = child.stdout === null ? undefined : once(child.stdout, 'end');
  const [[code]] = await Promise.all([once(child, 'exit'), ended]);
  if (code !== 0) throw new Error(`what ${program} writes was not counted`);
  const output = Buffer.concat(written);
  return { bytes: output.length, lines: output.toString().split('\n').filter(Boolean).length, told };
}
