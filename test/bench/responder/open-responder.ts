import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { plainEnvironment } from '../measure/run-subject.ts';

/** A responder that answers in a process of its own. */
export interface Responder extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
}

/** Opens a responder on a free port; it ends with its disposal, and with this process. */
export async function openResponder(): Promise<Responder> {
  const child = fork(join(import.meta.dirname, 'responder.ts'), {
    execArgv: [],
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = await once(child, 'message');
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
