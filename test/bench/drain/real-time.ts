import { setTimeout as sleep } from 'node:timers/promises';
import { createVirtualTime, type VirtualTime } from '../../faults/model/world/virtual-time.ts';

const lookEveryMs = 5;

/**
 * The time of this machine with the face of a virtual one: what runs on the one runs on the other,
 * unchanged.
 */
export function createRealTime(seed: number): VirtualTime {
  const { random, between } = createVirtualTime(seed, 0);
  return { nowMs, random, between, at, runUntil, sleep: passes, advance: passes };
}

/** Milliseconds since 1970, and monotonic. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * The timers of messages that were hidden for minutes must not keep the process once the drain is
 * over.
 */
function at(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs).unref();
}

async function passes(ms: number): Promise<void> {
  await sleep(ms);
}

async function runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
  const untilMs = nowMs() + limitMs;
  while (!isDone() && nowMs() < untilMs) await sleep(lookEveryMs);
  return isDone();
}
