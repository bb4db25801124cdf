import { expect, test } from 'vitest';
import { nextAttempt } from '#functions/_runs/handle-command.ts';

const now = new Date('2026-11-20T22:00:00Z');
const mine = { owner: 'me', now, remainingMs: 30_000, receiveCount: 2 };
const marked = (until: string, crashes: number) => ({ attempt: { owner: 'other', until, crashes } });
const over = '2026-11-20T21:59:59Z';
const until = '2026-11-20T22:00:30.000Z';

test('a first delivery leaves no mark', () => {
  expect(nextAttempt(undefined, { ...mine, receiveCount: 1 })).toEqual({ kind: 'begin' });
});

test('a later delivery leaves one, and finds that the first ended by the row that it left', () => {
  expect(nextAttempt({}, mine)).toEqual({ kind: 'begin', mark: { owner: 'me', until, crashes: 0 } });
});

test('a later delivery that finds no row knows of one death', () => {
  expect(nextAttempt(undefined, mine)).toEqual({ kind: 'begin', mark: { owner: 'me', until, crashes: 1 } });
});

test.each([1, 2])('delivery %i waits for an attempt that is under way', (receiveCount) => {
  const row = marked('2026-11-20T22:00:10Z', 2);

  expect(nextAttempt(row, { ...mine, receiveCount })).toEqual({ kind: 'wait', delayMs: 10_000 });
});

test.each([1, 7])(
  'delivery %i counts an attempt whose time is over as dead; the third in a row is a loop',
  (receiveCount) => {
    const attempt = { ...mine, receiveCount };

    expect(nextAttempt(marked(over, 1), attempt)).toEqual({ kind: 'begin', mark: { owner: 'me', until, crashes: 2 } });
    expect(nextAttempt(marked(over, 2), attempt)).toEqual({ kind: 'crash-loop', crashes: 3 });
  },
);
