/**
 * Delivers occurrences as Scheduler does: a failed delivery is tried again by the schedule's retry
 * policy, then its input goes to the schedule's dead-letter queue. Until then the schedule has not
 * fired, so a restart tries it again as well.
 */
import type { CallsInHand, MovableClock } from '../clock/movable-clock.ts';
import { callsFunction, type DeadLetter, type LocalSchedule, type Occurrence, occurrenceOf } from './local-schedule.ts';
import { toSecond } from '#shared/schedule/scheduler-input.ts';
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
   * Milliseconds before the next attempt, after this many.
   * @default one second, doubling, at most a minute
   */
  readonly retryWaitMs?: ((attempts: number) => number) | undefined;
  readonly log: (line: string) => void;
}

/** What is known of an occurrence that was tried in vain. */
interface Tried {
  readonly scheduledTime: Date;
  readonly attempts: number;
  readonly sinceMs: number;
  readonly againAtMs: number;
}

/** Delivers, and remembers what could not be delivered yet. */
export interface ScheduleDelivery {
  /**
   * Makes one attempt, unless it is too early for another. True once the occurrence is done with.
   * Never rejects.
   */
  readonly attempt: (due: DueOccurrence) => Promise<boolean>;
  /** Before that time no attempt is made at this schedule. */
  readonly notBeforeMs: (name: string) => number;
}

/** Starts delivering. */
export function createScheduleDelivery(ports: DeliveryPorts): ScheduleDelivery {
  const tried = new Map<string, Tried>();
  const waitMs = ports.retryWaitMs ?? ((attempts) => Math.min(60_000, 1000 * 2 ** (attempts - 1)));

  async function giveUp(schedule: LocalSchedule, last: Occurrence, error: unknown): Promise<void> {
    const made = last.attempt === 1 ? '1 attempt' : `${last.attempt} attempts`;
    const about = aboutOf(schedule, last);
    if (schedule.Target.DeadLetterConfig?.Arn === undefined) {
      ports.log(`${about} is given up after ${made}; it has no dead-letter queue.`);
      return;
    }
    try {
      await ports.deadLetter(schedule, deadLetterOf(schedule, last, error));
      ports.log(`${about} is in its dead-letter queue after ${made}.`);
    } catch (failure) {
      ports.log(`${about} is lost: its dead-letter queue took nothing: ${messageOf(failure)}`);
    }
  }

  return {
    notBeforeMs: (name) => tried.get(name)?.againAtMs ?? 0,
    async attempt({ schedule, scheduledTime }) {
      const { Name: name } = schedule;
      const nowMs = ports.now();
      const last = tried.get(name);
      const before = last?.scheduledTime.getTime() === scheduledTime.getTime() ? last : undefined;
      if (before !== undefined && nowMs < before.againAtMs) return false;
      const attempts = (before?.attempts ?? 0) + 1;
      const sinceMs = before?.sinceMs ?? nowMs;
      const occurrence = occurrenceOf(schedule, scheduledTime, attempts);
      try {
        await ports.deliver(schedule, occurrence);
      } catch (error) {
        if (attempts === 1) ports.log(`${aboutOf(schedule, occurrence)} was not delivered: ${messageOf(error)}`);
        if (!isSpent(schedule, attempts, nowMs - sinceMs)) {
          tried.set(name, { scheduledTime, attempts, sinceMs, againAtMs: nowMs + waitMs(attempts) });
          return false;
        }
        await giveUp(schedule, occurrence, error);
      }
      tried.delete(name);
      return true;
    },
  };
}

function isSpent({ Target: { RetryPolicy } }: LocalSchedule, attempts: number, ageMs: number): boolean {
  const retries = RetryPolicy?.MaximumRetryAttempts ?? DEFAULT_RETRIES;
  const ageSeconds = RetryPolicy?.MaximumEventAgeInSeconds ?? DEFAULT_AGE_SECONDS;
  return attempts > retries || ageMs > ageSeconds * 1000;
}

function deadLetterOf(schedule: LocalSchedule, last: Occurrence, error: unknown): DeadLetter {
  const retries = schedule.Target.RetryPolicy?.MaximumRetryAttempts ?? DEFAULT_RETRIES;
  return {
    body: last.input,
    attributes: {
      ERROR_CODE: codeOf(error),
      ERROR_MESSAGE: messageOf(error).slice(0, 1000) || 'no message',
      EXECUTION_ID: last.executionId,
      EXHAUSTED_RETRY_CONDITION: last.attempt > retries ? 'MaximumRetryAttempts' : 'MaximumEventAgeInSeconds',
      IS_PAYLOAD_TRUNCATED: 'false',
      RETRY_ATTEMPTS: String(last.attempt - 1),
      SCHEDULED_TIME: toSecond(last.scheduledTime),
      SCHEDULE_ARN: schedule.arn,
      TARGET_ARN: schedule.Target.Arn,
    },
  };
}

/** The code that the target answered with, if it answered. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function aboutOf({ Name }: LocalSchedule, { scheduledTime }: Occurrence): string {
  return `Schedule ${Name}, occurrence of ${toSecond(scheduledTime)},`;
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
  const waiting = new Set<string>();
  const now = new Date(clock.now());
  book.take(now);
  for (const occurrence of dueOccurrences(book.entries(), now)) {
    const { Name: name } = occurrence.schedule;
    if (ending.aborted) break;
    // An earlier occurrence of it comes first.
    if (waiting.has(name)) continue;
    if (!(await delivery.attempt(occurrence))) {
      waiting.add(name);
      continue;
    }
    book.mark(name, occurrence.scheduledTime);
    deleteAtEnd(occurrence.schedule, firing);
    fired.push(occurrence);
  }
  return fired;
}

/**
 * Scheduler API, CreateSchedule, ActionAfterCompletion: a schedule with `DELETE` goes after its
 * last occurrence.
 */
function deleteAtEnd({ Name: name, ActionAfterCompletion }: LocalSchedule, { book, onDeletedAtEnd }: Firing): void {
  if (ActionAfterCompletion !== 'DELETE') return;
  const entry = book.entries().find(({ schedule }) => schedule.Name === name);
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
    const stepMs = Math.min(nextFireMs(firing, isCommand), await nextWorkMs(firing), targetMs);
    // Real time goes on while the workers settle, so the step may be behind us already.
    await moveBetweenCalls(() => clock.moveForward(Math.max(0, stepMs - clock.now())));
    fired.push(...(await fireDue(firing)));
    await settle?.();
    if (stepMs >= targetMs || ending.aborted) return fired;
  }
}

/** When the next attempt at any of these schedules is due; Infinity for none. */
export function nextFireMs(
  { book, delivery }: Firing,
  isMeant: (schedule: LocalSchedule) => boolean = () => true,
): number {
  const meant = book.entries().filter(({ schedule }) => isMeant(schedule));
  return Math.min(
    ...meant.map((entry) =>
      Math.max(nextInBook(entry)?.getTime() ?? Infinity, delivery.notBeforeMs(entry.schedule.Name)),
    ),
  );
}

function isCommand(schedule: LocalSchedule): boolean {
  return !callsFunction(schedule);
}

/**
 * The watcher's first tick at which something is due that no tick has seen yet. Every step is a
 * later tick, so a move always ends.
 */
async function nextWorkMs({ book, dueWork }: Firing): Promise<number> {
  const entry = book.entries().find(({ schedule }) => schedule.Name === dueWork?.watcher);
  if (dueWork === undefined || entry === undefined) return Infinity;
  const unseen = (await dueWork.instants()).filter((at) => at > entry.firedUntil);
  const firstMs = Math.min(...unseen.map((at) => at.getTime()));
  if (firstMs === Infinity) return Infinity;
  return nextInBook({ ...entry, firedUntil: new Date(firstMs - 1) })?.getTime() ?? Infinity;
}
