/**
 * The clock of the run on one machine: the real time plus one offset, kept in a small file. So a
 * restart continues with the offset of the last run. It only moves forward. The runner and every
 * function process apply it to `Date` (moved-date.mjs), so handlers and emulators see one time.
 *
 * To let schedules fire one after the other on the way, move the clock through
 * `LocalSchedules.moveForward`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { fromState } from '../state/start-problem.ts';
import { realNow } from './moved-date.mjs';

const ClockFile = z.object({ offsetMs: z.number().nonnegative() });

/** A clock that can be moved forward. */
export interface MovableClock {
  /** Milliseconds since 1970, moved. */
  now(): number;
  /** How far it stands ahead of the machine's own clock. */
  offsetMs(): number;
  /**
   * The machine's time, and the time of each clock that was shown since the start, in milliseconds
   * since 1970. A request that was signed before a move arrives after it.
   */
  times(): readonly number[];
  /**
   * Moves it, writes the offset down, then tells the listeners. A negative amount is a RangeError.
   */
  moveForward(milliseconds: number): void;
  /** Calls the listener with the new offset after every move; returns the way to stop that. */
  onMove(listener: (offsetMs: number) => void): () => void;
}

/**
 * Opens the clock whose offset is kept in this file; a missing file is a clock that was never
 * moved.
 */
export function openMovableClock(file: string): MovableClock {
  let offsetMs = readOffset(file);
  const shown = new Set([0, offsetMs]);
  const listeners = new Set<(offset: number) => void>();
  return {
    now: () => realNow() + offsetMs,
    offsetMs: () => offsetMs,
    times: () => [...shown].map((offset) => realNow() + offset),
    moveForward(milliseconds) {
      if (!Number.isFinite(milliseconds) || milliseconds < 0) {
        throw new RangeError(`The clock only moves forward, not by ${milliseconds} ms.`);
      }
      offsetMs += Math.round(milliseconds);
      shown.add(offsetMs);
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

/**
 * Written beside and renamed, so that a process that starts at this moment never reads half a file.
 */
function writeOffset(file: string, offsetMs: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify({ offsetMs })}\n`);
  renameSync(`${file}.new`, file);
}

// Keeps the clock still while a call is in hand: a batch of messages between its receipt and its
// deletion, an invocation of a function. A call measures its deadline in real time, but its lease
// and the visibility of its messages end by the clock. A clock that moved under it would end both,
// and a second worker would take up the same work.

/** The calls of one run, and the moves of its clock. */
export interface CallsInHand {
  /** Takes up new work. Waits while the clock is about to move. */
  readonly takeUp: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Counts work that was taken up already, or that work in hand waits for: it never waits for the
   * clock.
   */
  readonly goOn: <T>(work: Promise<T>) => Promise<T>;
  /** Lets the calls in hand end, takes up no new work meanwhile, and then moves the clock. */
  readonly moveBetween: (move: () => void) => Promise<void>;
  /**
   * Calls the listener when the clock is about to move, so that what only waits for work can stop
   * waiting.
   */
  readonly onMoveAhead: (listener: () => void) => void;
}

/** Starts with no call. */
export function createCallsInHand(): CallsInHand {
  const open = { calls: 0, moves: 0 };
  const listeners = new Set<() => void>();
  const changed = new Set<() => void>();

  const tellOfChange = (): void => {
    for (const resolve of changed) resolve();
    changed.clear();
  };
  const change = async (): Promise<void> => new Promise((resolve) => void changed.add(resolve));
  const goOn = async <T>(work: Promise<T>): Promise<T> => {
    open.calls += 1;
    try {
      return await work;
    } finally {
      open.calls -= 1;
      tellOfChange();
    }
  };

  return {
    goOn,
    async takeUp(work) {
      while (open.moves > 0) await change();
      return goOn(work());
    },
    async moveBetween(move) {
      open.moves += 1;
      try {
        for (const listener of listeners) listener();
        while (open.calls > 0) await change();
        move();
      } finally {
        open.moves -= 1;
        tellOfChange();
      }
    },
    onMoveAhead: (listener) => void listeners.add(listener),
  };
}
