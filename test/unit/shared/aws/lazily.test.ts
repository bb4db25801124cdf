import { expect, test } from 'vitest';
import { lazily } from '#shared/aws/client-settings.ts';
import { createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { createQueue } from '#shared/aws/queue.ts';

test('a client is made when it is first needed, and once', () => {
  let made = 0;
  const client = lazily(() => ({ number: (made += 1) }));

  expect(made).toBe(0);
  expect([client(), client()]).toEqual([{ number: 1 }, { number: 1 }]);
  expect(client()).toBe(client());
});

test('a queue and a bus that nothing is sent to make no client', () => {
  expect(() => createQueue(never, 'http://127.0.0.1:9/queue')).not.toThrow();
  expect(() => createOutcomeBus(never, 'bus')).not.toThrow();
});

function never(): never {
  throw new Error('a client was made');
}
