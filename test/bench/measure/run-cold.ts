import { fork } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment } from './run-subject.ts';
import type { Sample } from './subject.ts';

/** One cold start. */
export interface ColdTask {
  /** Absolute path of the bundle, which exports `handler`. */
  readonly file: string;
  /** Handled one after the other, all in the same environment. */
  readonly events: readonly unknown[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What a cold start used, and what the handler answered. */
export interface ColdSample extends Sample {
  /** The most memory that the process ever had. */
  readonly peakMb: number;
  readonly answer: unknown;
}

/** Keys and a region that no account has: nothing is read from the machine's own. */
const awsOfNobody = {
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_REGION: 'eu-west-1',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
} as const;

/**
 * Starts a bundle in a new process and gives it its first events.
 * @throws Error if the process ends without an answer
 */
export async function runCold({ file, events, environment }: ColdTask): Promise<ColdSample> {
  const child = fork(join(import.meta.dirname, 'cold-process.mjs'), {
    execArgv: [],
    env: plainEnvironment({ ...awsOfNobody, ...environment }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  let sample: ColdSample | undefined;
  child.on('message', (message) => {
    sample = message as ColdSample;
  });
  child.send({ file, events });
  const [code] = await ended;
  if (sample === undefined) throw new Error(`${file} ended with ${String(code)} and handled nothing`);
  return sample;
}
