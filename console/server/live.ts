import { setTimeout as sleep } from 'node:timers/promises';
import { kept } from '#operator/stage/stage-clients.ts';
import type { NowAnswer } from '../api.ts';
import type { Target } from '#operator/stage/target.ts';
import { type Problem, problemOf } from './problems.ts';

/** What a tab is told of a stage: how it stands, or why it cannot be read. */
export type LiveEvent =
  | { readonly event: 'now'; readonly data: NowAnswer }
  | { readonly event: 'problem'; readonly data: { readonly problem: Problem } };

/** One stage for all tabs: it is read once, however many look at it, and not at all if none does. */
export interface Live {
  /** The last reading, if it is young enough; else a new one. */
  readonly read: () => Promise<NowAnswer>;
  /** Sends each reading to a listener, the first at once, until the returned function is called. */
  readonly listen: (listener: (event: LiveEvent) => void) => () => void;
  /** Forgets the last reading: the person changed something. */
  readonly forget: () => void;
}

/** The ledger is read this often while a tab listens. */
export const readEveryMs = 5_000;

/** What following a stage needs. */
export interface LiveDeps {
  readonly read: () => Promise<NowAnswer>;
  /** Of the stage, if it can be opened. */
  readonly target: () => Target | undefined;
  /** @default {@link readEveryMs} */
  readonly everyMs?: number;
}

/** Follows one stage. */
export function createLive({ read, target, everyMs = readEveryMs }: LiveDeps): Live {
  const listeners = new Set<(event: LiveEvent) => void>();
  const newReading = () => kept(read, { forMs: everyMs, elapsedMs: () => performance.now() });
  let reading = newReading();
  let last: LiveEvent | undefined;
  let waiting: AbortController | undefined;

  const look = async (): Promise<LiveEvent> => {
    try {
      return { event: 'now', data: await reading() };
    } catch (error) {
      return { event: 'problem', data: { problem: problemOf(error, target()) } };
    }
  };
  const follow = async (): Promise<void> => {
    const ended = (waiting = new AbortController());
    while (!ended.signal.aborted) {
      const found = (last = await look());
      for (const listener of listeners) listener(found);
      // The last tab may leave at any moment, and its leaving ends the wait.
      await sleep(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
    }
  };

  return {
    read: async () => reading(),
    listen(listener) {
      listeners.add(listener);
      if (listeners.size === 1) void follow();
      else if (last !== undefined) listener(last);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        waiting?.abort();
        last = undefined;
      };
    },
    forget() {
      reading = newReading();
    },
  };
}
