import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { plainEnvironment } from '../measure/run-subject.ts';

/** A responder that answers in a process of its own. */
export interface Responder extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** How often each operation of AWS was asked for, and a change of a run (`PATCH`). */
  readonly asked: () => Promise<Readonly<Record<string, number>>>;
}

/** Opens a responder on a free port; it ends with its disposal, and with this process. */
export async function openResponder(): Promise<Responder> {
  const child = fork(join(import.meta.dirname, 'responder.ts'), {
    execArgv: [],
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = await once(child, 'message');
  const origin = `http://127.0.0.1:${String(port)}`;
  return {
    origin,
    asked: async () => (await (await fetch(`${origin}/asked`)).json()) as Readonly<Record<string, number>>,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
