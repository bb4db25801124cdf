import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { plainEnvironment } from '../measure/run-subject.ts';

/** How often each operation was asked for. */
export interface Asked {
  /** By the operation's name: `PutItem`. */
  readonly aws: Readonly<Record<string, number>>;
  /** By method. */
  readonly gateway: Readonly<Record<string, number>>;
}

/** A responder that answers in a process of its own. */
export interface Responder extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly asked: () => Promise<Asked>;
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
    asked: async () => (await (await fetch(`${origin}/asked`)).json()) as Asked,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
