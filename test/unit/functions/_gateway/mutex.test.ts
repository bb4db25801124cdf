import { expect, test } from 'vitest';
import { createMutex } from '#functions/register-datasets/upload.ts';

/** Work that ends when the test says so, and tells what happens. */
function workIn(told: string[]) {
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const work = (name: string) => async () => {
    told.push(`${name} begins`);
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    await end.promise;
    told.push(`${name} ends`);
    return name;
  };
  return { work, ends };
}

test('runs work alone, in the order in which it came', async () => {
  const told: string[] = [];
  const { work, ends } = workIn(told);
  const mutex = createMutex();

  const both = Promise.all([mutex(work('first')), mutex(work('second'))]);
  await expect.poll(() => told).toEqual(['first begins']);
  ends.get('first')?.resolve();
  await expect.poll(() => told).toEqual(['first begins', 'first ends', 'second begins']);
  ends.get('second')?.resolve();

  expect(await both).toEqual(['first', 'second']);
});

test('tells a failure to whom it belongs, and goes on', async () => {
  const mutex = createMutex();

  const failing = mutex(() => Promise.reject(new Error('not a file')));
  const next = mutex(async () => 'checked');

  await expect(failing).rejects.toThrow('not a file');
  expect(await next).toBe('checked');
});
