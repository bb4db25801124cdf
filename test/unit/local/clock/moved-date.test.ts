import { afterEach, describe, expect, test } from 'vitest';

import { applyClock, realNow } from '#local/clock/moved-date.mjs';

const HOUR_MS = 3_600_000;

describe('applyClock', () => {
  let restore: (() => void) | undefined;
  afterEach(() => restore?.());

  test('moves every way of asking for the time, and follows later moves', () => {
    let offsetMs = 8 * HOUR_MS;
    restore = applyClock(() => offsetMs);

    expect(Math.abs(Date.now() - realNow() - offsetMs)).toBeLessThan(1000);
    expect(Math.abs(new Date().getTime() - Date.now())).toBeLessThan(1000);
    expect(Math.abs(Date.parse(Date()) - Date.now())).toBeLessThan(2000);

    offsetMs = 24 * HOUR_MS;
    expect(Math.abs(Date.now() - realNow() - offsetMs)).toBeLessThan(1000);
  });

  test('leaves dates made from a value alone, and everything else that a Date is', () => {
    const before = new Date(0);
    restore = applyClock(() => HOUR_MS);
    const after = new Date('2026-11-20T22:00:00Z');

    expect(after.toISOString()).toBe('2026-11-20T22:00:00.000Z');
    expect(new Date(2026, 10, 20).getFullYear()).toBe(2026);
    expect(Date.UTC(1970, 0, 2)).toBe(24 * HOUR_MS);
    expect([before instanceof Date, after instanceof Date, after.constructor === Date]).toEqual([true, true, true]);
    expect(structuredClone(after)).toEqual(after);
    expect([Date.name, Date.length]).toEqual(['Date', 7]);
  });

  test('lets a class extend Date', () => {
    restore = applyClock(() => HOUR_MS);
    class Stamp extends Date {
      year(): number {
        return this.getUTCFullYear();
      }
    }

    expect(new Stamp('2026-11-20T22:00:00Z').year()).toBe(2026);
    expect(new Stamp()).toBeInstanceOf(Stamp);
    expect(Math.abs(new Stamp().getTime() - Date.now())).toBeLessThan(1000);
  });

  test('gives the real Date back', () => {
    const real = Date;
    applyClock(() => HOUR_MS)();

    expect(Date).toBe(real);
    expect(new Date().constructor).toBe(real);
  });
});
