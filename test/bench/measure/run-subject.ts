import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Sample, Task } from './subject.ts';

const subjectProcess = join(import.meta.dirname, 'subject-process.ts');

/** Variables that would have a process load, log or cache something of its own. */
const notInherited = new Set([
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  'NODE_DEBUG',
  'POWERTOOLS_DEV',
  'POWERTOOLS_LOG_LEVEL',
]);

/** The environment of a function's process: ours without what changes its speed. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !notInherited.has(name))), ...more };
}

/**
 * Does a task in a process of its own; what it writes goes to /dev/null, by the same system call as anywhere.
 * @throws Error where the process ends without an answer
 */
export async function runSubject(task: Task, execArgv: readonly string[] = []): Promise<Sample> {
  const child = fork(subjectProcess, {
    execArgv: [...execArgv],
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  let sample: Sample | undefined;
  child.on('message', (message) => {
    sample = message as Sample;
  });
  child.send(task);
  const [code] = await ended;
  if (sample === undefined) throw new Error(`${task.file} ended with ${String(code)} and measured nothing`);
  return sample;
}
