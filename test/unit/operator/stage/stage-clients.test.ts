import { expect, test } from 'vitest';
import { kept } from '#operator/stage/stage-clients.ts';

/** A source that counts its makings; each may be told to fail. */
function countedSource(failing: readonly number[] = []) {
  let made = 0;
  const make = async () => {
    made += 1;
    if (failing.includes(made)) throw new Error(`making ${made} failed`);
    return made;
  };
  return { make, madeSoFar: () => made };
}

test('a value is made once, also for callers at the same time', async () => {
  const { make, madeSoFar } = countedSource();
  const value = kept(make);

  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect(await value()).toBe(1);
  expect(madeSoFar()).toBe(1);
});

test('a making that failed is forgotten: the next call tries again', async () => {
  // A promise that was rejected used to be kept: a stage that came back stayed unreachable for the
  // process.
  const { make } = countedSource([1]);
  const value = kept(make);

  await expect(value()).rejects.toThrow('making 1 failed');

  expect(await value()).toBe(2);
  expect(await value()).toBe(2);
});

test('a value is made again after its time, and not before', async () => {
  let nowMs = 1000;
  const { make } = countedSource();
  const value = kept(make, { forMs: 300, elapsedMs: () => nowMs });

  expect(await value()).toBe(1);
  nowMs += 299;
  expect(await value()).toBe(1);
  nowMs += 1;
  expect(await value()).toBe(2);
});

test('a late failure of an old making leaves the newer value alone', async () => {
  let nowMs = 0;
  const first = Promise.withResolvers<number>();
  const makings = [first.promise, Promise.resolve(2), Promise.resolve(3)];
  const value = kept(() => makings.shift() ?? Promise.resolve(0), { forMs: 10, elapsedMs: () => nowMs });
  const old = value();
  nowMs = 10;
  await value();

  first.reject(new Error('too late'));

  await expect(old).rejects.toThrow('too late');
  expect(await value()).toBe(2);
});
