import { describe, expect, it } from 'vitest';
import { backOffMs } from '#shared/gateway-client/index.ts';
import { parseRetryAfter } from '#shared/gateway-client/retry-timing.ts';

describe('backOffMs', () => {
  it('spreads over 100 to 400 ms, then over 100 to 800 ms', () => {
    expect([backOffMs(1, () => 0), backOffMs(1, () => 1)]).toEqual([100, 400]);
    expect([backOffMs(2, () => 0), backOffMs(2, () => 1)]).toEqual([100, 800]);
  });
});

const now = Date.parse('2026-11-20T22:00:00Z');

describe('parseRetryAfter', () => {
  it.each([
    ['30', 30_000],
    [' 2 ', 2000],
    ['0', 1000],
    ['1.5', 1500],
    ['1000000000', 900_000],
    ['9'.repeat(400), 900_000],
    ['Fri, 20 Nov 2026 22:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 21:00:00 GMT', 1000],
    ['Sun, 20 Nov 2033 22:00:00 GMT', 900_000],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['2026-11-20', undefined],
    [undefined, undefined],
  ])('reads %o as %o', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});
