import { OperatorError } from '../errors.ts';

/** The movable clock of the run on one machine, by the front door's `/_local/clock`. */

/** Where the clock stands. */
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
  /** Undefined where whatever answers is no local run of ours: its time is the machine's. */
  readonly read: () => Promise<ClockReading | undefined>;
  readonly forward: (milliseconds: number) => Promise<ClockMove | undefined>;
}

/** The clock behind a local endpoint. */
export function createLocalClock(endpoint: string): LocalClock {
  const address = `${endpoint}/_local/clock`;
  return {
    async read() {
      return readingIn(await answerOf(await fetch(address)));
    },
    async forward(milliseconds) {
      const answer = await answerOf(
        await fetch(address, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ forwardMs: milliseconds }),
        }),
      );
      const reading = readingIn(answer);
      return reading === undefined ? undefined : { ...reading, fired: firedIn(answer) };
    },
  };
}

/**
 * The stage's time: that of this machine, and as far ahead as the local clock is. The clock is read each time, since it may have been moved.
 * @param machineTime - the time of this machine
 */
export function stageTime(clock: LocalClock | undefined, machineTime: () => Date): () => Promise<Date> {
  return async () => {
    const offsetMs = (await clock?.read())?.offsetMs ?? 0;
    return new Date(machineTime().getTime() + offsetMs);
  };
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = parsed(await response.text());
  if (response.ok) return answer;
  // Another emulator may answer anything here; ours says what is wrong.
  const problem: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error') : undefined;
  if (typeof problem !== 'string') return undefined;
  throw new OperatorError(`the clock was not moved: ${problem}`, { code: 'CLOCK_REFUSED' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readingIn(answer: unknown): ClockReading | undefined {
  if (typeof answer !== 'object' || answer === null || !('now' in answer) || !('offsetMs' in answer)) return undefined;
  const { now, offsetMs } = answer;
  if (typeof now !== 'string' || typeof offsetMs !== 'number') return undefined;
  const at = new Date(now);
  return Number.isNaN(at.getTime()) ? undefined : { now: at, offsetMs };
}

function firedIn(answer: unknown): readonly Fired[] {
  if (typeof answer !== 'object' || answer === null || !('fired' in answer) || !Array.isArray(answer.fired)) return [];
  return answer.fired.filter((entry: unknown): entry is Fired => {
    if (typeof entry !== 'object' || entry === null || !('schedule' in entry) || !('at' in entry)) return false;
    return typeof entry.schedule === 'string' && typeof entry.at === 'string';
  });
}
