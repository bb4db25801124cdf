/**
 * Requests to what a stage on this machine answers itself, below `/_local/`, and its movable clock.
 */
import * as z from 'zod';
import { signedFetch } from '#shared/net/request-signature.ts';
import { OperatorError } from '../errors.ts';
import { provenKey, type Target } from '../target.ts';
import { within } from './stage-clients.ts';

/** A request to the stage itself. */
export interface LocalRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
  /** How long the answer may take. @default 30 s */
  readonly forMs?: number;
}

const longestMs = 30_000;

/** The change calendars that were moved, by their names. */
export const calendarsAnswer = z.record(z.string(), z.object({ isOpen: z.boolean(), until: z.string().optional() }));

/** The alarms that campaigns halt on, by their names. */
export const alarmsAnswer = z.record(z.string(), z.enum(['OK', 'ALARM']));

/**
 * Asks the stage, signed with the key of its folder.
 * @throws OperatorError with what the stage says if it refuses
 */
export async function askLocalStage(
  target: Extract<Target, { kind: 'local' }>,
  { method, url, body = '', forMs = longestMs }: LocalRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  const { endpoint, region } = target;
  const key = await provenKey(target);
  // A body has a type, or `fetch` would add one that is not signed.
  const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
  return within({ forMs, signal }, async (ends) =>
    answerOf(
      await signedFetch(endpoint, { method, url, headers, body }, { key, region, service: 'local', signal: ends }),
    ),
  );
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = parsed(await response.text());
  if (response.ok) return answer;
  const problem: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error') : undefined;
  throw new OperatorError(`the stage refused it: ${String(problem)}`, { code: 'CLOCK_REFUSED' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The instant of the clock. */
export interface ClockReading {
  /** The stage's time. */
  readonly now: Date;
  /** How far it is ahead of the machine's own clock. */
  readonly offsetMs: number;
}

/** One occurrence of a schedule. */
export interface Fired {
  readonly schedule: string;
  readonly at: string;
}

/** A reading after a move, with what fell due on the way. */
export interface ClockMove extends ClockReading {
  readonly fired: readonly Fired[];
}

/** Reads and moves the clock. */
export interface LocalClock {
  readonly read: () => Promise<ClockReading>;
  readonly forward: (milliseconds: number) => Promise<ClockMove>;
  /** How far ahead it was when it was last read or moved; 0 before. */
  readonly lastOffsetMs: () => number;
}

/** A stage that fires hours of schedules on the way of a move answers within this. */
const longestMoveMs = 10 * 60_000;

/** The clock of a stage on this machine. */
export function createLocalClock(target: Extract<Target, { kind: 'local' }>, signal?: AbortSignal): LocalClock {
  const ask = async (method: 'GET' | 'POST', body?: string) => {
    const forMs = method === 'GET' ? undefined : longestMoveMs;
    return askLocalStage(target, { method, url: '/_local/clock', body, forMs }, signal);
  };
  let lastOffsetMs = 0;
  const noted = (answer: unknown): ClockReading => {
    const reading = readingIn(answer);
    lastOffsetMs = reading.offsetMs;
    return reading;
  };
  return {
    read: async () => noted(await ask('GET')),
    async forward(milliseconds) {
      const answer = await ask('POST', JSON.stringify({ forwardMs: milliseconds }));
      return { ...noted(answer), fired: firedIn(answer) };
    },
    lastOffsetMs: () => lastOffsetMs,
  };
}

/**
 * The stage's time: that of this machine, and as far ahead as the local clock is, or as AWS is. The
 * clock is read each time, since it may have been moved.
 * @param awsOffsetMs - what AWS is ahead of this machine; if that is not known, the time of this
 *   machine stands
 */
export function stageTime(
  clock: Pick<LocalClock, 'read'> | undefined,
  awsOffsetMs: () => Promise<number>,
  machineTime: () => Date,
): () => Promise<Date> {
  return async () => {
    const offsetMs = clock === undefined ? await awsOffsetMs().catch(() => 0) : (await clock.read()).offsetMs;
    return new Date(machineTime().getTime() + offsetMs);
  };
}

function readingIn(answer: unknown): ClockReading {
  const { now, offsetMs } = { now: undefined, offsetMs: undefined, ...(answer as object) };
  if (typeof now === 'string' && typeof offsetMs === 'number') return { now: new Date(now), offsetMs };
  throw new OperatorError('the stage has another version: its clock cannot be read', { code: 'CLOCK_REFUSED' });
}

function firedIn(answer: unknown): readonly Fired[] {
  if (typeof answer !== 'object' || answer === null || !('fired' in answer) || !Array.isArray(answer.fired)) return [];
  return answer.fired.filter((entry: unknown): entry is Fired => {
    if (typeof entry !== 'object' || entry === null || !('schedule' in entry) || !('at' in entry)) return false;
    return typeof entry.schedule === 'string' && typeof entry.at === 'string';
  });
}
