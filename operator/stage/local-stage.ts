/**
 * Requests to what a stage on this machine answers itself, below `/_local/`, and its movable clock.
 */
import * as z from 'zod';
import { signedFetch } from '#shared/net/request-signature.ts';
import { OperatorError } from '../errors.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import { provenKey, type Target } from '../target.ts';
import { within } from './stage-clients.ts';

/** What is asked of the stage itself; with `move` it is changed first. */
interface LocalRequest {
  readonly about: 'clock' | 'calendar' | 'alarm';
  readonly move?: object | undefined;
}

/** The change calendars that were moved, by their names. */
export const calendarsAnswer = z.record(z.string(), z.object({ isOpen: z.boolean(), until: z.string().optional() }));

/** The alarms that campaigns halt on, by their names. */
export const alarmsAnswer = z.record(z.string(), z.enum(['OK', 'ALARM']));

const longestMs = 30_000;

/** A stage that fires hours of schedules on the way of a move answers within this. */
const longestMoveMs = 10 * 60_000;

/**
 * Asks the stage, signed with the key of its folder.
 * @throws OperatorError with what the stage says if it refuses
 */
export async function askLocalStage(
  target: Extract<Target, { kind: 'local' }>,
  { about, move }: LocalRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  const { endpoint, region } = target;
  const key = await provenKey(target);
  const url = `/_local/${about}`;
  // A body has a type, or `fetch` would add one that is not signed.
  const headers = { 'content-type': 'application/json' };
  const request =
    move === undefined
      ? { method: 'GET', url, headers: {}, body: '' }
      : { method: 'POST', url, headers, body: JSON.stringify(move) };
  return within({ forMs: move === undefined ? longestMs : longestMoveMs, signal }, async (ends) =>
    answerOf(await signedFetch(endpoint, request, { key, region, service: 'local', signal: ends })),
  );
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = jsonIn(await response.text());
  if (response.ok) return answer;
  const problem = z.object({ error: z.string() }).safeParse(answer).data?.error;
  throw new OperatorError(`the stage refused it: ${problem}`, { code: 'CLOCK_REFUSED' });
}

/** The stage's time, and how far it is ahead of the machine's own clock. */
const clockReading = z.object({ now: z.coerce.date(), offsetMs: z.number() });

/** A reading after a move, with what fell due on the way. */
const clockMove = clockReading.extend({ fired: z.array(z.object({ schedule: z.string(), at: z.string() })) });

export type ClockReading = z.infer<typeof clockReading>;
export type ClockMove = z.infer<typeof clockMove>;

/** Reads and moves the clock. */
export interface LocalClock {
  readonly read: () => Promise<ClockReading>;
  readonly forward: (milliseconds: number) => Promise<ClockMove>;
  /** How far ahead it was when it was last read or moved; 0 before. */
  readonly lastOffsetMs: () => number;
}

/** The clock of a stage on this machine. */
export function createLocalClock(target: Extract<Target, { kind: 'local' }>, signal?: AbortSignal): LocalClock {
  let lastOffsetMs = 0;
  const ask = async <Reading extends ClockReading>(schema: z.ZodType<Reading>, move?: object): Promise<Reading> => {
    const { data } = schema.safeParse(await askLocalStage(target, { about: 'clock', move }, signal));
    if (data === undefined)
      throw new OperatorError('the stage has another version: its clock cannot be read', { code: 'CLOCK_REFUSED' });
    lastOffsetMs = data.offsetMs;
    return data;
  };
  return {
    read: async () => ask(clockReading),
    forward: async (forwardMs) => ask(clockMove, { forwardMs }),
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
