import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

/** What the process can be asked to do: create a dataset, or read the first page of the listing. */
export type ClientCall = 'post' | 'get';

/** How a call went. */
export interface ClientAnswer {
  /** What the client threw, as text; null if it answered. */
  readonly failure: string | null;
  /** Requests that the call made. */
  readonly attempts: number;
  /** The most memory that the process has ever had resident. */
  readonly mostBytes: number;
}

/**
 * A process that holds the gateway client, as a Lambda environment does between two invocations. It
 * ends with the test.
 */
export interface ClientProcess {
  call(call: ClientCall): Promise<ClientAnswer>;
  /** Stops the process where it is, as the platform freezes an environment. */
  freeze(): Promise<void>;
  thaw(): void;
}

const child = fileURLToPath(new URL('client-child.ts', import.meta.url));

export async function startClientProcess(baseUrl: string): Promise<ClientProcess> {
  const running = fork(child, [baseUrl], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(async () => {
    if (running.exitCode !== null) return;
    // A stopped process dies of nothing else.
    running.kill('SIGKILL');
    await once(running, 'exit');
  });
  await once(running, 'message');

  return {
    async call(call) {
      running.send(call);
      const [answer] = await once(running, 'message');
      return answer as ClientAnswer;
    },
    async freeze() {
      running.kill('SIGSTOP');
      const isStopped = () => stateOf(running.pid) === 'T';
      await vi.waitUntil(isStopped, { timeout: 120_000 });
    },
    thaw: () => void running.kill('SIGCONT'),
  };
}

/** As Linux tells it: `T` is stopped. */
function stateOf(pid: number | undefined): string | undefined {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}
