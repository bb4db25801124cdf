import type { CallsInHand, MovableClock } from '../clock/movable-clock.ts';
import { type DueOccurrence, nextInBook, openScheduleBook, type ScheduleBookOptions } from './schedule-book.ts';
import {
  createScheduleDelivery,
  type DeliveryPorts,
  type DueWork,
  fireDue,
  type Firing,
  moveStepwise,
  nextFireMs,
} from './schedule-delivery.ts';
import { type LocalSchedule, occurrenceOf } from './local-schedule.ts';
/** A laptop that slept finds out by then that a time has passed. */
const LONGEST_WAIT_MS = 30_000;

/** A state file that cannot be written (a full disk) is tried again, without a hot loop. */
const AFTER_FAILURE_MS = 5000;

/** What the schedules of one run need. */
export interface SchedulesOptions extends Omit<DeliveryPorts, 'now'>, ScheduleBookOptions {
  readonly clock: MovableClock;
  /**
   * Resolves when what was delivered has been worked off, or after the caller's own limit. Awaited
   * on every step of a move of the clock.
   *
   * @default no wait
   */
  readonly settle?: (() => Promise<void>) | undefined;
  /** Makes each step of a move when no call is in hand. @default at once */
  readonly moveBetweenCalls?: CallsInHand['moveBetween'] | undefined;
  /** Asked before every step of a move of the clock. @default schedules alone say what falls due */
  readonly dueWork?: DueWork | undefined;
  /** Hears of a schedule that is gone because nothing of it was to come. */
  readonly onDeletedAtEnd?: ((name: string) => void) | undefined;
}

/** The schedules of one run. */
export interface LocalSchedules {
  /**
   * Moves the clock, firing on the way what falls due. Resolves with what was fired, when the clock
   * stands there.
   */
  readonly moveForward: (milliseconds: number) => Promise<readonly DueOccurrence[]>;
  /**
   * Fires a schedule now, once, without touching its plan. Rejects when it is unknown or its target
   * says no.
   */
  readonly fireNow: (name: string) => Promise<void>;
  /** The next time of every schedule, for people; none for a disabled one. */
  readonly nextTimes: () => readonly { readonly schedule: LocalSchedule; readonly next: Date | undefined }[];
  /**
   * The instant from which a schedule counts, as its creation in AWS: a `rate()` without a start
   * date beats from there.
   */
  readonly createdAt: (name: string) => Date | undefined;
  /** Begins with one more schedule. Throws if it cannot be computed, and changes nothing. */
  readonly add: (schedule: LocalSchedule) => void;
  /** No occurrence starts after this; resolves when none is under way. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts them. What fell due while the runner was away is delivered first: schedule-book.ts says
 * what counts.
 */
export function startSchedules(options: SchedulesOptions): LocalSchedules {
  const { clock, settle, moveBetweenCalls, dueWork, onDeletedAtEnd, log } = options;
  const book = openScheduleBook(options, new Date(clock.now()));
  const delivery = createScheduleDelivery({ ...options, now: () => clock.now() });
  const end = new AbortController();
  const { signal: ending } = end;
  const firing: Firing = { book, delivery, clock, settle, moveBetweenCalls, dueWork, onDeletedAtEnd, ending };
  const inTurn = createTurns();
  const timer = startTimer(firing, async () => inTurn(async () => fireDue(firing)), log);

  return {
    async moveForward(milliseconds) {
      if (!Number.isFinite(milliseconds) || milliseconds < 0) {
        throw new RangeError(`The clock only moves forward, not by ${milliseconds} ms.`);
      }
      return inTurn(async () => moveStepwise(firing, milliseconds));
    },
    async fireNow(name) {
      const schedule = book.entries().find((entry) => entry.schedule.Name === name)?.schedule;
      if (schedule === undefined) throw new Error(`There is no schedule named ${name}.`);
      await options.deliver(schedule, occurrenceOf(schedule, new Date(clock.now()), 1));
    },
    nextTimes() {
      const firedUntil = new Date(clock.now());
      return book.entries().map((entry) => ({ schedule: entry.schedule, next: nextInBook({ ...entry, firedUntil }) }));
    },
    createdAt: (name) => book.entries().find(({ schedule }) => schedule.Name === name)?.createdAt,
    add(schedule) {
      book.add(schedule, new Date(clock.now()));
      timer.look();
    },
    async stop() {
      end.abort();
      timer.stop();
      await inTurn(async () => {});
    },
  };
}

/** Wakes up when the next occurrence is due, and whenever the clock was moved. */
function startTimer(
  firing: Firing,
  fire: () => Promise<unknown>,
  log: (line: string) => void,
): { readonly look: () => void; readonly stop: () => void } {
  const { clock, ending } = firing;
  let timer: NodeJS.Timeout | undefined;

  function wait(atLeastMs: number): void {
    clearTimeout(timer);
    if (ending.aborted) return;
    const dueInMs = Math.min(nextFireMs(firing) - clock.now(), LONGEST_WAIT_MS);
    timer = setTimeout(() => void tick(), Math.max(atLeastMs, dueInMs));
  }

  async function tick(): Promise<void> {
    try {
      await fire();
      wait(0);
    } catch (error) {
      log(`The schedules could not go on: ${error instanceof Error ? error.message : String(error)}`);
      wait(AFTER_FAILURE_MS);
    }
  }

  const unsubscribe = clock.onMove(() => wait(0));
  wait(0);
  return {
    look: () => wait(0),
    stop() {
      unsubscribe();
      clearTimeout(timer);
    },
  };
}

/**
 * Runs one piece of work after the other, so that a tick of the timer never cuts into a move of the
 * clock.
 */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // its caller sees the failure; the next in line must not
    return mine;
  };
}
