/**
 * The clock of the run on one machine: the real time plus one offset, kept in a small file so that a restart goes on
 * where the last run stood. It only moves forward. The runner and every function process apply it to `Date`
 * (moved-date.mjs), so handlers and emulators see one time.
 *
 * Whoever wants schedules to fire one after the other on the way moves the clock through `LocalSchedules.moveForward`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import * as z from 'zod';

import { fromState } from '../stage/start-problem.ts';
import { realNow } from './moved-date.mjs';

const ClockFile = z.object({ offsetMs: z.number().nonnegative() });

/** A clock that can be moved forward. */
export interface MovableClock {
  /** Milliseconds since 1970, moved. */
  now(): number;
  /** How far it stands ahead of the machine's own clock. */
  offsetMs(): number;
  /** Moves it, writes the offset down, then tells the listeners. A negative amount is a RangeError. */
  moveForward(milliseconds: number): void;
  /** Calls the listener with the new offset after every move; returns the way to stop that. */
  onMove(listener: (offsetMs: number) => void): () => void;
}

/** Opens the clock whose offset is kept in this file; a missing file is a clock that was never moved. */
export function openMovableClock(file: string): MovableClock {
  let offsetMs = readOffset(file);
  const listeners = new Set<(offset: number) => void>();
  return {
    now: () => realNow() + offsetMs,
    offsetMs: () => offsetMs,
    moveForward(milliseconds) {
      if (!Number.isFinite(milliseconds) || milliseconds < 0) {
        throw new RangeError(`The clock only moves forward, not by ${milliseconds} ms.`);
      }
      offsetMs += Math.round(milliseconds);
      writeOffset(file, offsetMs);
      for (const listener of listeners) listener(offsetMs);
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function readOffset(file: string): number {
  if (!existsSync(file)) return 0;
  return fromState(file, () => ClockFile.parse(JSON.parse(readFileSync(file, 'utf8'))).offsetMs);
}

/** Written beside and renamed, so that a process that starts at this moment never reads half a file. */
function writeOffset(file: string, offsetMs: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify({ offsetMs })}\n`);
  renameSync(`${file}.new`, file);
}
