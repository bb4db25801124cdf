/** What the schedules remember over a restart: when each was created, up to when it has fired, and what still waits. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import * as z from 'zod';

import { fromState } from '../stage/start-problem.ts';

const Mark = z.object({
  /** Changes when the schedule is another one under the same name; it then starts anew, without catching up. */
  signature: z.string(),
  createdAt: z.iso.datetime(),
  /** Every occurrence up to this instant was delivered or is pending. */
  firedUntil: z.iso.datetime(),
});

const Pending = z.object({
  name: z.string(),
  scheduledTime: z.iso.datetime(),
  /** When its first attempt failed; the retry policy's age counts from here. */
  since: z.iso.datetime(),
  /** Attempts made. */
  attempts: z.int().positive(),
});

const State = z.object({ marks: z.record(z.string(), Mark), pending: z.array(Pending) });

/** How far one schedule has fired. */
export type ScheduleMark = z.infer<typeof Mark>;
/** A delivery that failed and is still to be tried again. */
export type PendingDelivery = z.infer<typeof Pending>;
/** All of it. */
export type ScheduleState = z.infer<typeof State>;

/** Reads the state file; a missing one is a first start. */
export function readScheduleState(file: string): ScheduleState {
  if (!existsSync(file)) return { marks: {}, pending: [] };
  return fromState(file, () => State.parse(JSON.parse(readFileSync(file, 'utf8'))));
}

/** Writes the state file whole, or not at all. */
export function writeScheduleState(file: string, state: ScheduleState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}
