import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openQueues, type Queues } from '#local/aws/sqs/queues.ts';
import type { LocalQueue } from '#local/aws/sqs/declared-queues.ts';
import { queueRow } from '#local/template/resource-properties.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

const jobs: LocalQueue = {
  name: 'jobs',
  arn: 'arn:aws:sqs:eu-west-1:0:jobs',
  attributes: queueRow.parse({ MessageRetentionPeriod: 60 }),
};
const never = new AbortController().signal;
let directory: string;
let queues: Queues;

beforeEach(() => {
  directory = folderOfTest();
  queues = openQueues(new Map([['jobs', jobs]]), directory, () => 1_000_000);
});
afterEach(() => queues.close());

describe('a waiting receiver', () => {
  test('takes no message once it has hung up', async () => {
    const hangUp = new AbortController();
    const waiting = queues.receive(jobs, { max: 10, visibilityMs: 30_000, waitMs: 20_000, gone: hangUp.signal });

    hangUp.abort();
    queues.send(jobs, { body: 'for another person' });

    expect(await waiting).toEqual([]);
    expect(queues.depths()).toEqual({ jobs: { visible: 1, inFlight: 0, delayed: 0 } });
  });

  test('shares messages with others, each message to one of them', async () => {
    const options = { max: 1, visibilityMs: 30_000, waitMs: 20_000, gone: never };
    const waiting = Promise.all([queues.receive(jobs, options), queues.receive(jobs, options)]);

    queues.send(jobs, { body: 'a' });
    queues.send(jobs, { body: 'b' });

    expect((await waiting).map(([message]) => message?.body ?? '').toSorted()).toEqual(['a', 'b']);
  });
});

async function receiveAll(from: Queues): Promise<readonly { readonly id: string; readonly body: string }[]> {
  const taken = await from.receive(jobs, { max: 10, visibilityMs: 30_000, waitMs: 0, gone: never });
  return taken.map(({ id, body }) => ({ id, body }));
}

describe('with a disorder asked for', () => {
  test('messages come in the order that is drawn', async () => {
    const disordered = openQueues(new Map([['jobs', jobs]]), directory, () => 1_000_000, {
      copyAfterMs: () => undefined,
      random: () => 0.99, // the last of those that are due
    });
    for (const body of ['a', 'b', 'c']) disordered.send(jobs, { body });

    expect((await receiveAll(disordered)).map(({ body }) => body)).toEqual(['c', 'b', 'a']);
    disordered.close();
  });

  test('a copy comes under the id of its message, also when that has been deleted', async () => {
    let now = 1_000_000;
    const disordered = openQueues(new Map([['jobs', jobs]]), directory, () => now, {
      copyAfterMs: () => 5000,
      random: () => 0,
    });
    const id = disordered.send(jobs, { body: 'a' });
    const [first] = await disordered.receive(jobs, { max: 10, visibilityMs: 30_000, waitMs: 0, gone: never });
    disordered.store.remove('jobs', first?.receipt ?? '');

    expect(await receiveAll(disordered)).toEqual([]);
    now += 5000;
    expect(await receiveAll(disordered)).toEqual([{ id, body: 'a' }]);
    expect(first?.id).toBe(id);
    disordered.close();
  });
});
