/**
 * Delivers occurrences as Scheduler does: a failed delivery is tried again by the schedule's retry
 * policy, then its input goes to the schedule's dead-letter queue. A first attempt is waited for,
 * so that occurrences arrive in order; repeats happen beside, and survive a restart.
 */
import type { CallsInHand, MovableClock } from '../clock/movable-clock.ts';
import {
  callsFunction,
  type DeadLetter,
  type LocalSchedule,
  type Occurrence,
  occurrenceOf,
  type PendingDelivery,
  toSecond,
} from './local-schedule.ts';
import { type DueOccurrence, dueOccurrences, nextInBook, type ScheduleBook } from './schedule-book.ts';

const DEFAULT_RETRIES = 185;
const DEFAULT_AGE_SECONDS = 86_400;

/** What delivery needs from the runner. */
export interface DeliveryPorts {
  /** Calls the target under the schedule's execution role; rejects when the target says no. */
  readonly deliver: (schedule: LocalSchedule, occurrence: Occurrence) => Promise<void>;
  /** Sends to the schedule's dead-letter queue under the same role. */
  readonly deadLetter: (schedule: LocalSchedule, letter: DeadLetter) => Promise<void>;
  readonly now: () => number;
  /**
   * Real milliseconds before the next attempt, after this many. @default one second, doubling, at
   * most a minute
   */
  readonly retryWaitMs?: ((attempts: number) => number) | undefined;
  readonly log: (line: string) => void;
}

/** Delivers, and remembers what could not be delivered yet. */
export interface ScheduleDelivery {
  /** Makes the first attempt at an occurrence. Never rejects. */
  readonly first: (due: DueOccurrence) => Promise<void>;
  /** Takes up what an earlier run left behind. */
  readonly resume: () => void;
  /**
   * Ends the waits; what is pending stays in the state file. Resolves when no attempt is under way.
   */
  readonly stop: () => Promise<void>;
}

/** Starts delivering for the schedules of a book. */
export function createScheduleDelivery(book: ScheduleBook, ports: DeliveryPorts): ScheduleDelivery {
  const timers = new Set<NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;
  const waitMs = ports.retryWaitMs ?? ((attempts) => Math.min(60_000, 1000 * 2 ** (attempts - 1)));

  async function attempt(schedule: LocalSchedule, delivery: PendingDelivery): Promise<void> {
    const occurrence = occurrenceOf(schedule, new Date(delivery.scheduledTime), delivery.attempts);
    try {
      await ports.deliver(schedule, occurrence);
      if (delivery.attempts > 1) book.drop(delivery);
    } catch (error) {
      if (delivery.attempts === 1) ports.log(`${about(schedule, delivery)} was not delivered: ${messageOf(error)}`);
      if (isSpent(schedule, delivery, ports.now())) await giveUp(schedule, delivery, occurrence, error);
      else retryLater(schedule, delivery);
    }
  }

  function retryLater(schedule: LocalSchedule, delivery: PendingDelivery): void {
    book.keep(delivery);
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      track(attempt(schedule, { ...delivery, attempts: delivery.attempts + 1 }));
    }, waitMs(delivery.attempts));
    timers.add(timer);
  }

  async function giveUp(
    schedule: LocalSchedule,
    delivery: PendingDelivery,
    last: Occurrence,
    error: unknown,
  ): Promise<void> {
    book.drop(delivery);
    if (schedule.target.deadLetterArn === undefined) {
      ports.log(`${about(schedule, delivery)} is given up after ${attemptsOf(delivery)}; it has no dead-letter queue.`);
      return;
    }
    try {
      await ports.deadLetter(schedule, deadLetterOf(schedule, delivery, last, error));
      ports.log(`${about(schedule, delivery)} is in its dead-letter queue after ${attemptsOf(delivery)}.`);
    } catch (failure) {
      ports.log(`${about(schedule, delivery)} is lost: its dead-letter queue took nothing: ${messageOf(failure)}`);
    }
  }

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  return {
    async first({ schedule, scheduledTime }) {
      const since = new Date(ports.now()).toISOString();
      const work = attempt(schedule, {
        name: schedule.name,
        scheduledTime: scheduledTime.toISOString(),
        since,
        attempts: 1,
      });
      track(work);
      await work;
    },
    resume() {
      for (const delivery of book.pending()) {
        const schedule = book.find(delivery.name);
        if (schedule !== undefined) retryLater(schedule, delivery);
      }
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}

function isSpent({ target }: LocalSchedule, { attempts, since }: PendingDelivery, nowMs: number): boolean {
  const retries = target.retryPolicy?.maximumRetryAttempts ?? DEFAULT_RETRIES;
  const ageSeconds = target.retryPolicy?.maximumEventAgeSeconds ?? DEFAULT_AGE_SECONDS;
  return attempts > retries || nowMs - Date.parse(since) > ageSeconds * 1000;
}

function deadLetterOf(
  schedule: LocalSchedule,
  delivery: PendingDelivery,
  last: Occurrence,
  error: unknown,
): DeadLetter {
  const retries = schedule.target.retryPolicy?.maximumRetryAttempts ?? DEFAULT_RETRIES;
  return {
    body: last.input,
    attributes: {
      ERROR_CODE: codeOf(error),
      ERROR_MESSAGE: messageOf(error).slice(0, 1000) || 'no message',
      EXECUTION_ID: last.executionId,
      EXHAUSTED_RETRY_CONDITION: delivery.attempts > retries ? 'MaximumRetryAttempts' : 'MaximumEventAgeInSeconds',
      IS_PAYLOAD_TRUNCATED: 'false',
      RETRY_ATTEMPTS: String(delivery.attempts - 1),
      SCHEDULED_TIME: toSecond(last.scheduledTime),
      SCHEDULE_ARN: schedule.arn,
      TARGET_ARN: schedule.target.arn,
    },
  };
}

/** The code that the target answered with, if it answered. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function about(schedule: LocalSchedule, delivery: PendingDelivery): string {
  return `Schedule ${schedule.name}, occurrence of ${toSecond(new Date(delivery.scheduledTime))},`;
}

function attemptsOf({ attempts }: PendingDelivery): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Fires what is due, and moves the clock from one thing that falls due to the next.

/**
 * Work that a watcher remembers and that falls due at no schedule's own instant: a planned stop, a
 * deferred start.
 */
export interface DueWork {
  /** The schedule of the watcher that does it. */
  readonly watcher: string;
  /** When it falls due, in any order, past instants included. */
  readonly instants: () => Promise<readonly Date[]>;
}

/** What firing works with. */
export interface Firing {
  readonly book: ScheduleBook;
  readonly delivery: ScheduleDelivery;
  readonly clock: MovableClock;
  readonly settle?: (() => Promise<void>) | undefined;
  readonly moveBetweenCalls?: CallsInHand['moveBetween'] | undefined;
  readonly dueWork?: DueWork | undefined;
  /** Hears of a schedule that is gone because nothing of it was to come. */
  readonly onDeletedAtEnd?: ((name: string) => void) | undefined;
  /** Once aborted, no occurrence starts any more. */
  readonly ending: AbortSignal;
}

/** Delivers everything that is due now, in order, and says what it was. */
export async function fireDue(firing: Firing): Promise<readonly DueOccurrence[]> {
  const { book, delivery, clock, ending } = firing;
  const fired: DueOccurrence[] = [];
  const now = new Date(clock.now());
  book.take(now);
  for (const occurrence of dueOccurrences(book.entries(), now)) {
    if (ending.aborted) break;
    await delivery.first(occurrence);
    book.mark(occurrence.schedule.name, occurrence.scheduledTime);
    deleteAtEnd(occurrence.schedule, firing);
    fired.push(occurrence);
  }
  return fired;
}

/**
 * Scheduler API, CreateSchedule, ActionAfterCompletion: a schedule with `DELETE` goes after its
 * last occurrence.
 */
function deleteAtEnd({ name, isDeletedAtEnd }: LocalSchedule, { book, onDeletedAtEnd }: Firing): void {
  if (isDeletedAtEnd !== true) return;
  const entry = book.entries().find(({ schedule }) => schedule.name === name);
  if (entry === undefined || nextInBook(entry) !== undefined) return;
  book.remove(name);
  onDeletedAtEnd?.(name);
}

/**
 * Moves the clock step by step, to each instant at which a command or a watcher's work is due. It
 * reports what was fired on the way.
 */
export async function moveStepwise(firing: Firing, milliseconds: number): Promise<readonly DueOccurrence[]> {
  const { book, clock, settle, ending, moveBetweenCalls = async (move) => move() } = firing;
  const targetMs = clock.now() + milliseconds;
  book.take(new Date(clock.now()));
  const fired: DueOccurrence[] = [];
  for (;;) {
    // Asked at every step: what was fired at the last one has planned stops of its own.
    const stepMs = Math.min(nextCommandMs(book), await nextWorkMs(firing), targetMs);
    // Real time goes on while the workers settle, so the step may be behind us already.
    await moveBetweenCalls(() => clock.moveForward(Math.max(0, stepMs - clock.now())));
    fired.push(...(await fireDue(firing)));
    await settle?.();
    if (stepMs >= targetMs || ending.aborted) return fired;
  }
}

/** When the next occurrence of any schedule is due; Infinity for none. */
export function nextFireMs(book: ScheduleBook): number {
  return Math.min(...book.entries().map((entry) => nextInBook(entry)?.getTime() ?? Infinity));
}

function nextCommandMs(book: ScheduleBook): number {
  const commands = book.entries().filter(({ schedule }) => !callsFunction(schedule));
  return Math.min(...commands.map((entry) => nextInBook(entry)?.getTime() ?? Infinity));
}

/**
 * The watcher's first tick at which something is due that no tick has seen yet. Every step is a
 * later tick, so a move always ends.
 */
async function nextWorkMs({ book, dueWork }: Firing): Promise<number> {
  const entry = book.entries().find(({ schedule }) => schedule.name === dueWork?.watcher);
  if (dueWork === undefined || entry === undefined) return Infinity;
  const unseen = (await dueWork.instants()).filter((at) => at > entry.firedUntil);
  const firstMs = Math.min(...unseen.map((at) => at.getTime()));
  if (firstMs === Infinity) return Infinity;
  return nextInBook({ ...entry, firedUntil: new Date(firstMs - 1) })?.getTime() ?? Infinity;
}
