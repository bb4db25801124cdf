/** Looks at files in a thread: no file takes the command, the console or the stage along. */
import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadingOptions } from '#shared/datasets/columns/column-mapping.ts';
import { programFile } from '#shared/places.ts';
import { toError } from '#shared/errors/app-error.ts';
import { type JudgedContent, type JudgedFile, unreadable } from './judge-file.ts';

/** What the thread is asked. */
export interface FileLook {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly options?: ReadingOptions;
}

/** How much one file may take. */
export interface LookLimits {
  /** Of JavaScript's memory: a file of 64 MiB, the largest that is read, takes a third. */
  readonly memoryMb: number;
  /** A file of 64 MiB takes a tenth. */
  readonly timeMs: number;
}

const usualLimits: LookLimits = { memoryMb: 512, timeMs: 30_000 };

/** Looks at one file after the other. The thread lives on for the next one, and keeps no process alive. */
export function createLooker({ memoryMb, timeMs }: LookLimits = usualLimits): (
  look: FileLook,
) => Promise<JudgedContent> {
  let thread: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const looked = async (look: FileLook): Promise<JudgedContent> => {
    thread ??= startThread(memoryMb);
    try {
      return await answerOf(thread, look, timeMs);
    } catch (error) {
      await thread.terminate();
      thread = undefined;
      return unreadable(look.file, whyNot(error, { memoryMb, timeMs }));
    }
  };
  return async (look) => {
    const answer = turn.then(() => looked(look));
    turn = answer;
    return answer;
  };
}

function startThread(memoryMb: number): Worker {
  const thread = new Worker(programFile('operator/uploads/look-thread'), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // A thread that fails between two files fails the next one, in a sentence.
  return thread.on('error', () => {});
}

async function answerOf(thread: Worker, look: FileLook, timeMs: number): Promise<JudgedContent> {
  const { promise, resolve, reject } = Promise.withResolvers<JudgedContent>();
  const ended = new AbortController();
  thread.ref();
  const gone = () => reject(new Error('its thread has ended'));
  thread.once('message', resolve).once('error', reject).once('exit', gone);
  try {
    thread.postMessage(look, []);
    return await Promise.race([promise, tooLate(timeMs, ended.signal)]);
  } finally {
    ended.abort();
    thread.off('message', resolve).off('error', reject).off('exit', gone);
    thread.unref();
  }
}

async function tooLate(timeMs: number, signal: AbortSignal): Promise<never> {
  await sleep(timeMs, undefined, { signal });
  throw new Error(late);
}

const late = 'too late';

function whyNot(error: unknown, { memoryMb, timeMs }: LookLimits): string {
  const { message } = toError(error);
  const todo = 'split it, or save it as CSV UTF-8';
  if (message === late) return `reading the file takes more than ${timeMs / 1000} seconds: ${todo}`;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return `reading the file takes more than ${memoryMb} MB of memory: ${todo}`;
  return `the file cannot be read (${message.slice(0, 200)}): ${todo}`;
}

const look = createLooker();

/** Judges the bytes of a file, and converts it. */
export async function judgeAndConvert(
  file: string,
  bytes: Uint8Array,
  options?: ReadingOptions,
): Promise<JudgedContent> {
  return look({ file, bytes, options });
}

/** Judges the bytes of a file. */
export async function judgeBytes(file: string, bytes: Uint8Array, options?: ReadingOptions): Promise<JudgedFile> {
  const { csv: _csv, ...judged } = await judgeAndConvert(file, bytes, options);
  return judged;
}
