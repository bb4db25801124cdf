import { expect, test } from 'vitest';
import { createCallsInHand } from '#local/clock/movable-clock.ts';

/** Lets everything run that waits for nothing but its turn. */
const turns = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('a move waits for the calls in hand, and for the work that they go on with', async () => {
  const calls = createCallsInHand();
  const [received, handled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const taken = calls.takeUp(async () => {
    await received.promise;
    void calls.goOn(handled.promise);
  });

  const moved = calls.moveBetween(() => void order.push('moved'));
  await turns();
  received.resolve();
  await taken;
  await turns();
  order.push('handled');
  handled.resolve();
  await moved;

  expect(order).toEqual(['handled', 'moved']);
});

test('new work waits for the move, but work that a call in hand waits for does not', async () => {
  const calls = createCallsInHand();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const taken = calls.takeUp(async () => first.promise);
  const moved = calls.moveBetween(() => void order.push('moved'));

  const later = calls.takeUp(async () => void order.push('new work'));
  await calls.goOn(Promise.resolve()).then(() => order.push('work of a call'));
  await turns();
  first.resolve();
  await Promise.all([taken, moved, later]);

  expect(order).toEqual(['work of a call', 'moved', 'new work']);
});

test('a call that fails, and a move that fails, hold up nothing after them', async () => {
  const calls = createCallsInHand();
  const order: string[] = [];

  await expect(calls.takeUp(async () => Promise.reject(new Error('the call failed')))).rejects.toThrow('call failed');
  await expect(
    calls.moveBetween(() => {
      throw new RangeError('only forward');
    }),
  ).rejects.toThrow('only forward');
  await calls.moveBetween(() => void order.push('moved'));
  await calls.takeUp(async () => void order.push('new work'));

  expect(order).toEqual(['moved', 'new work']);
});

test('what only waits for work hears of a move before the move waits for it', async () => {
  const calls = createCallsInHand();
  const poll = Promise.withResolvers<void>();
  calls.onMoveAhead(() => poll.resolve());
  const taken = calls.takeUp(async () => poll.promise);
  let isMoved = false;

  await calls.moveBetween(() => {
    isMoved = true;
  });
  await taken;

  expect(isMoved).toBe(true);
});
