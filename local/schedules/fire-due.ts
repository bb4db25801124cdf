/** Fires what is due, and moves the clock from one command to the next. */
import type { MovableClock } from '../clock/movable-clock.ts';
import { dueOccurrences, nextOccurrence } from './due-occurrences.ts';
import type { DueOccurrence } from './due-occurrences.ts';
import { callsFunction } from './local-schedule.ts';
import type { ScheduleBook } from './schedule-book.ts';
import type { ScheduleDelivery } from './schedule-delivery.ts';

/** What firing works with. */
export interface Firing {
  readonly book: ScheduleBook;
  readonly delivery: ScheduleDelivery;
  readonly clock: MovableClock;
  readonly settle?: (() => Promise<void>) | undefined;
  /** Once aborted, no occurrence starts any more. */
  readonly ending: AbortSignal;
}

/** Delivers everything that is due now, in order, and says what it was. */
export async function fireDue({ book, delivery, clock, ending }: Firing): Promise<readonly DueOccurrence[]> {
  const fired: DueOccurrence[] = [];
  for (const occurrence of dueOccurrences(book.entries(), new Date(clock.now()))) {
    if (ending.aborted) break;
    await delivery.first(occurrence);
    book.mark(occurrence.schedule.name, occurrence.scheduledTime);
    fired.push(occurrence);
  }
  return fired;
}

/** Moves the clock step by step, a command being due at the end of each; says what was fired on the way. */
export async function moveStepwise(firing: Firing, milliseconds: number): Promise<readonly DueOccurrence[]> {
  const { book, clock, settle, ending } = firing;
  const targetMs = clock.now() + milliseconds;
  const fired: DueOccurrence[] = [];
  for (;;) {
    const stepMs = Math.min(nextCommandMs(book), targetMs);
    // Real time goes on while the workers settle, so the step may be behind us already.
    clock.moveForward(Math.max(0, stepMs - clock.now()));
    fired.push(...(await fireDue(firing)));
    await settle?.();
    if (stepMs >= targetMs || ending.aborted) return fired;
  }
}

/** When the next occurrence of any schedule is due; Infinity for none. */
export function nextFireMs(book: ScheduleBook): number {
  return Math.min(...book.entries().map((entry) => nextOccurrence(entry)?.getTime() ?? Infinity));
}

function nextCommandMs(book: ScheduleBook): number {
  const commands = book.entries().filter(({ schedule }) => !callsFunction(schedule));
  return Math.min(...commands.map((entry) => nextOccurrence(entry)?.getTime() ?? Infinity));
}
