import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Answer, Order, Sample, Task } from './subject.ts';

const subjectProcess = join(import.meta.dirname, 'subject-process.ts');

/** Variables that would have a process load, log or cache something of its own. */
const notInherited = new Set([
  'NODE_OPTIONS',
  'NODE_COMPILE_CACHE',
  'NODE_DEBUG',
  'POWERTOOLS_DEV',
  'POWERTOOLS_LOG_LEVEL',
  'LOG_LEVEL',
]);

/** The environment of a function's process: ours without what changes its speed. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !notInherited.has(name))), ...more };
}

/** A subject that is ready, in a process of its own. */
export interface OpenSubject extends AsyncDisposable {
  /**
   * Does so many units of its work.
   * @throws Error if the process ends instead
   */
  readonly take: (times: number) => Promise<Sample>;
}

/**
 * Makes a task ready in a process of its own; what that writes goes to /dev/null, by the same
 * system call as anywhere.
 * @throws Error if the process ends before it is ready
 */
export async function openSubject(task: Task): Promise<OpenSubject> {
  const child = fork(subjectProcess, {
    execArgv: [],
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');

  async function answerTo(order: Order): Promise<Answer> {
    const answered = once(child, 'message');
    child.send(order);
    const [answer] = await Promise.race([answered, ended.then(() => [])]);
    if (answer !== undefined) return answer as Answer;
    throw new Error(`${task.file} ended with ${child.signalCode ?? String(child.exitCode)} and measured nothing`);
  }

  await answerTo({ task });
  return {
    take: async (times) => (await answerTo({ times })) as Sample,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
