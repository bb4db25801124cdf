/** Fires what is due, and moves the clock from one thing that falls due to the next. */
import type { CallsInHand } from '../clock/calls-in-hand.ts';
import type { MovableClock } from '../clock/movable-clock.ts';
import { dueOccurrences, nextOccurrence } from './due-occurrences.ts';
import type { DueOccurrence } from './due-occurrences.ts';
import { callsFunction, type LocalSchedule } from './local-schedule.ts';
import type { ScheduleBook } from './schedule-book.ts';
import type { ScheduleDelivery } from './schedule-delivery.ts';

/** Work that falls due by what a watcher remembers, at no schedule's own instant: the stop that a start has planned, a start that was put off. */
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
  for (const occurrence of dueOccurrences(book.entries(), new Date(clock.now()))) {
    if (ending.aborted) break;
    await delivery.first(occurrence);
    book.mark(occurrence.schedule.name, occurrence.scheduledTime);
    deleteAtEnd(occurrence.schedule, firing);
    fired.push(occurrence);
  }
  return fired;
}

/** Scheduler API, CreateSchedule, ActionAfterCompletion: a schedule with `DELETE` goes after its last occurrence. */
function deleteAtEnd({ name, isDeletedAtEnd }: LocalSchedule, { book, onDeletedAtEnd }: Firing): void {
  if (isDeletedAtEnd !== true) return;
  const entry = book.entries().find(({ schedule }) => schedule.name === name);
  if (entry === undefined || nextOccurrence(entry) !== undefined) return;
  book.remove(name);
  onDeletedAtEnd?.(name);
}

/** Moves the clock step by step, a command or a watcher's work being due at the end of each; says what was fired on the way. */
export async function moveStepwise(firing: Firing, milliseconds: number): Promise<readonly DueOccurrence[]> {
  const { book, clock, settle, ending, moveBetweenCalls = async (move) => move() } = firing;
  const targetMs = clock.now() + milliseconds;
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
  return Math.min(...book.entries().map((entry) => nextOccurrence(entry)?.getTime() ?? Infinity));
}

function nextCommandMs(book: ScheduleBook): number {
  const commands = book.entries().filter(({ schedule }) => !callsFunction(schedule));
  return Math.min(...commands.map((entry) => nextOccurrence(entry)?.getTime() ?? Infinity));
}

/** The watcher's first tick at which something is due that no tick has seen yet: every step is a later tick, so a move always ends. */
async function nextWorkMs({ book, dueWork }: Firing): Promise<number> {
  const entry = book.entries().find(({ schedule }) => schedule.name === dueWork?.watcher);
  if (dueWork === undefined || entry === undefined) return Infinity;
  const unseen = (await dueWork.instants()).filter((at) => at > entry.firedUntil);
  const firstMs = Math.min(...unseen.map((at) => at.getTime()));
  if (firstMs === Infinity) return Infinity;
  return nextOccurrence({ ...entry, firedUntil: new Date(firstMs - 1) })?.getTime() ?? Infinity;
}
