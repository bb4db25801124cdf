import { signal } from '@preact/signals';
import type { NowAnswer, ProblemAnswer } from '../../api.ts';
import { duration } from '../words/times.ts';
import { open, problemFrom, withQuery, type Problem } from './ask.ts';
import { readEvents } from './events.ts';
import { session } from './session.ts';

/** What the page knows of one stage by the stream: the last facts, when they came, and whether the stream stands. */
export interface Live {
  readonly stage: string;
  readonly now?: NowAnswer;
  /** By the browser's clock. */
  readonly receivedAt?: number;
  readonly state: 'connecting' | 'live' | 'lost' | 'hidden';
  readonly problem?: Problem;
  /** By the browser's clock: when the page tries again. */
  readonly nextTryAt?: number;
}

export const live = signal<Live>({ stage: '', state: 'connecting' });

/** The server sends a comment every 15 s: after three missing ones the stream is dead, though it was not closed. */
const silenceMs = 45_000;
const longestWaitMs = 30_000;

/** Facts older than this are marked: the ledger is read every 5 s. */
const staleMs = 20_000;

/** How old the facts are, in words; and whether a person may rely on them. Pure. */
export function freshnessOf(
  { receivedAt, state, problem, nextTryAt }: Live,
  instant: number,
): { readonly isStale: boolean; readonly age: string; readonly state: string; readonly why: string } {
  const ageMs = receivedAt === undefined ? undefined : Math.max(0, instant - receivedAt);
  const isStale = problem !== undefined || (ageMs !== undefined && ageMs > staleMs);
  const nextTry = state === 'lost' && nextTryAt !== undefined ? ` Next try in ${duration(nextTryAt - instant)}.` : '';
  return {
    isStale,
    age: ageMs === undefined ? 'no answer yet' : `as of ${duration(ageMs)} ago`,
    state: isStale ? 'Stale' : state === 'live' ? 'Live' : 'Reading',
    why: problem === undefined ? '' : `· ${problem.message}${nextTry}`,
  };
}

/** A try more waits twice as long, up to half a minute. */
export function retryDelayMs(failures: number): number {
  return Math.min(longestWaitMs, 1_000 * 2 ** Math.max(0, failures - 1));
}

/** Follows one stage until the signal ends it. */
export async function follow(stage: string, end: AbortSignal): Promise<void> {
  let failures = 0;
  while (!end.aborted && session.peek().kind === 'open') {
    const problem = await listen(stage, end, () => (failures = 0));
    if (end.aborted || session.peek().kind !== 'open') return;
    failures += 1;
    const delayMs = retryDelayMs(failures);
    live.value = { ...live.value, state: 'lost', problem, nextTryAt: Date.now() + delayMs };
    await pause(delayMs, end);
  }
}

/** Reads one stream to its end. Says why it ended. */
async function listen(stage: string, end: AbortSignal, heard: () => void): Promise<Problem> {
  const silence = new AbortController();
  const signals = AbortSignal.any([end, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await open(withQuery('/api/live', { stage }), { signal: signals });
    for await (const event of readEvents(response, () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
    })) {
      heard();
      take(stage, event);
    }
    return { code: 'STREAM_ENDED', message: 'The console closed the stream.' };
  } catch (error) {
    if (silence.signal.aborted) return { code: 'SILENT', message: 'The console has been silent for 45 s.' };
    return problemFrom(error);
  } finally {
    clearTimeout(timer);
  }
}

function take(stage: string, { name, data }: { readonly name: string; readonly data: string }): void {
  if (name === 'gone') session.value = { kind: 'ended' };
  if (name === 'now') {
    live.value = { stage, now: JSON.parse(data) as NowAnswer, receivedAt: Date.now(), state: 'live' };
  }
  // The stream stands and the stage cannot be read: expired credentials, a missing permission.
  if (name === 'problem') {
    live.value = { ...live.value, state: 'live', problem: (JSON.parse(data) as ProblemAnswer).problem };
  }
}

async function pause(delayMs: number, end: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    end.addEventListener('abort', done, { once: true });
  });
}
