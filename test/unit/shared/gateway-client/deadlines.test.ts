import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines, type Timed } from '#shared/gateway-client/transport/deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Says its name if its time is over. */
function timed(name: string, ms: number, said: string[]): Timed {
  return { endsAt: performance.now() + ms, expire: () => said.push(name) };
}

test('each ends at its own time, in whatever order they came', () => {
  const said: string[] = [];
  const deadlines = createDeadlines();
  deadlines.watch(timed('late', 3000, said));
  deadlines.watch(timed('early', 1000, said));
  deadlines.watch(timed('middle', 2000, said));

  const seen = [999, 1, 1000, 999, 1].map((ms) => {
    vi.advanceTimersByTime(ms);
    return said.join();
  });

  expect(seen).toStrictEqual(['', 'early', 'early,middle', 'early,middle', 'early,middle,late']);
});

test('what has ended by itself is not ended again, and keeps no other waiting', () => {
  const said: string[] = [];
  const deadlines = createDeadlines();
  const gone = timed('gone', 1000, said);
  deadlines.watch(gone);
  deadlines.watch(timed('slow', 1500, said));
  deadlines.forget(gone);

  vi.advanceTimersByTime(1500);

  expect(said).toStrictEqual(['slow']);
});

test('one that comes after a pause has its whole time', () => {
  const said: string[] = [];
  const deadlines = createDeadlines();
  const first = timed('first', 1000, said);
  deadlines.watch(first);
  deadlines.forget(first);
  vi.advanceTimersByTime(900);
  deadlines.watch(timed('second', 1000, said));

  vi.advanceTimersByTime(999);
  const before = said.join();
  vi.advanceTimersByTime(1);

  expect([before, said.join()]).toStrictEqual(['', 'second']);
});

test('one whose time was over before it began ends at once', () => {
  const said: string[] = [];
  createDeadlines().watch(timed('over', -5, said));

  vi.advanceTimersByTime(1);

  expect(said).toStrictEqual(['over']);
});

test('one that ends another while it ends leaves the rest to their time', () => {
  const said: string[] = [];
  const deadlines = createDeadlines();
  const second = timed('second', 1000, said);
  deadlines.watch({ endsAt: performance.now() + 1000, expire: () => deadlines.forget(second) });
  deadlines.watch(second);
  deadlines.watch(timed('third', 2000, said));

  vi.advanceTimersByTime(2000);

  expect(said).toStrictEqual(['third']);
});

test('one that throws leaves the others their time, and those that come after it', () => {
  const said: string[] = [];
  const deadlines = createDeadlines();
  const throwing = { endsAt: performance.now() + 1000, expire: () => expect.unreachable('it throws') };
  deadlines.watch(throwing);
  deadlines.watch(timed('at the same time', 1000, said));
  deadlines.watch(timed('later', 2000, said));

  expect(() => vi.advanceTimersByTime(1000)).toThrow('it throws');
  deadlines.watch(timed('after it', 500, said));
  vi.advanceTimersByTime(1000);

  expect(said).toStrictEqual(['at the same time', 'after it', 'later']);
});
