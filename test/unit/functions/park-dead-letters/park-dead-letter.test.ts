import { describe, expect, test } from 'vitest';
import { parkDeadLetter, queueOfDeadLetters } from '#functions/park-dead-letters/park-dead-letter.ts';
import type { QueueRecord } from '#functions/_handler/queue-record.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aStop } from '../update-campaign-runs/harness/guard-nights.ts';
import { aCommand, createUpdateBench } from '../update-campaign-runs/harness/update-bench.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { stageSenders, stranger } from '../../../builders/commands-by-sender.ts';
import { failing, quietLog } from '../../../builders/ports.ts';

const arn = (name: string) => `arn:aws:sqs:eu-west-1:000000000000:${name}`;
const queueOf = queueOfDeadLetters({
  COMMANDS_DLQ_ARN: arn('commands-dlq'),
  SCHEDULES_DLQ_ARN: arn('schedules-dlq'),
  UPLOADS_DLQ_ARN: arn('uploads-dlq'),
});

function createBench(ledger = createMemoryLedger()) {
  const events: { readonly eventId: string }[] = [];
  const faults = { publish: async () => {} };
  return {
    /** Without the row that says of which message people got the last mail. */
    ledger: { all: () => ledger.all().filter(({ pk }) => pk !== ledgerKeys.mailedMessage()) },
    events,
    faults,
    park: (queueArn: string, body = '{"version":1}', { messageId = 'm1', senderId }: Partial<QueueRecord> = {}) =>
      parkDeadLetter(
        { messageId, body, receiveCount: 1001, sentAt: new Date('2026-11-19T22:00:00Z'), senderId, queueArn },
        {
          log: quietLog,
          now: () => new Date('2026-11-20T22:00:00Z'),
          remainingMs: () => 30_000,
          attemptId: 'a1',
        },
        {
          queueOf,
          ledger,
          mode: 'act',
          senders: senderId === undefined ? 'trusted' : stageSenders,
          schedules: [],
          random: () => 0.5,
          bus: {
            async publish(type, detail) {
              expectDocumented(type, detail);
              await faults.publish();
              events.push(detail);
            },
          },
        },
      ),
  };
}

test.each([
  ['commands-dlq', 'commands'],
  ['schedules-dlq', 'commands'],
  ['uploads-dlq', 'uploads'],
])('[C12] a message in %s is parked with its message, to be repeated into %s', async (deadLetters, queue) => {
  const bench = createBench();

  const result = await bench.park(arn(deadLetters), 'whatever it held');

  const pk = `message#${queue}#m1`;
  expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', subject: pk, reason: 'WORKER_DIED' }] });
  expect(bench.ledger.all()).toMatchObject([
    {
      pk,
      openState: 'PARKED',
      outcome: { kind: 'parked', reason: 'WORKER_DIED', detail: expect.stringContaining(deadLetters) },
      parked: { queue, message: 'whatever it held', attempts: 1001, firstSeen: '2026-11-19T22:00:00.000Z' },
    },
  ]);
  expect(bench.events).toMatchObject([{ eventId: pk, reason: 'WORKER_DIED', nextStep: expect.any(String) }]);
});

test('[C12 C16] twice into the dead-letter queue is one row, one report and one event id, kept until a person decides', async () => {
  const bench = createBench();

  await bench.park(arn('uploads-dlq'));
  const again = await bench.park(arn('uploads-dlq'));

  expect(again).toEqual({ kind: 'done', outcomes: [] });
  expect(bench.ledger.all()[0]).not.toHaveProperty('expiresAt');
  expect(bench.ledger.all()).toMatchObject([{ version: 1 }]);
  expect(bench.events).toHaveLength(2);
  expect(new Set(bench.events.map(({ eventId }) => eventId)).size).toBe(1);
});

// AWS gives a redriven message a new id: nothing joins it to the row of the old one.
test('[C12] a letter that a person redrove, and that died again, is a row and a report of its own', async () => {
  const bench = createBench();

  await bench.park(arn('uploads-dlq'), 'the same', { messageId: 'm1' });
  const again = await bench.park(arn('uploads-dlq'), 'the same', { messageId: 'm2' });

  expect(again).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', subject: 'message#uploads#m2' }] });
  expect(bench.ledger.all()).toMatchObject([{ pk: 'message#uploads#m1' }, { pk: 'message#uploads#m2' }]);
});

test('[C16] a bus that fails brings the letter back for its event, and reports it with the delivery that parked it', async () => {
  const bench = createBench();
  bench.faults.publish = failing(new Error('no bus'));

  const first = await bench.park(arn('uploads-dlq'));
  bench.faults.publish = async () => {};
  const second = await bench.park(arn('uploads-dlq'));

  expect(first).toMatchObject({ kind: 'later', outcomes: [{ kind: 'parked', reason: 'WORKER_DIED' }] });
  expect(second).toEqual({ kind: 'done', outcomes: [] });
  expect(bench.ledger.all()).toHaveLength(1);
  expect(bench.events).toHaveLength(1);
});

test('a queue that it does not know is an error, and the message stays where it is', async () => {
  const bench = createBench();

  await expect(bench.park(arn('of-another-owner'))).rejects.toMatchObject({ code: 'UNKNOWN_QUEUE' });
  expect(bench.ledger.all()).toEqual([]);
});

describe('a command in the dead-letter queue', () => {
  const start = aCommand({ id: 'start' });

  test('of which nothing is known is parked in the row of the command, to be repeated', async () => {
    const bench = createBench();

    await bench.park(arn('commands-dlq'), JSON.stringify(start));

    expect(bench.ledger.all()).toMatchObject([
      { pk: ledgerKeys.command('start'), outcome: { kind: 'parked', reason: 'WORKER_DIED' }, openState: 'PARKED' },
    ]);
    expect(bench.events).toMatchObject([{ commandId: 'start', reason: 'WORKER_DIED' }]);
  });

  test('a start whose request may have left counts as running, and its planned stop is armed', async () => {
    const worker = createUpdateBench();
    worker.answerWith('lost');
    await worker.deliver(start);
    const bench = createBench(worker.table);

    await bench.park(arn('commands-dlq'), JSON.stringify(start));

    expect(await worker.outcomeOf('start')).toMatchObject({ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' });
    expect(await worker.inFlight()).toMatchObject([{ state: 'running', plansStop: true }]);
  });

  test('a stop that ordered its run to end leaves it running, with its planned stop armed', async () => {
    const worker = createUpdateBench();
    await worker.deliver(start);
    worker.passMs(5 * 60_000);
    worker.answerWith('not-sent');
    await worker.deliver(aStop());
    const bench = createBench(worker.table);

    await bench.park(arn('commands-dlq'), JSON.stringify(aStop()));

    expect(await worker.outcomeOf('stop')).toMatchObject({ kind: 'parked', reason: 'WORKER_DIED' });
    expect(await worker.inFlight()).toMatchObject([{ state: 'running' }]);
  });

  test('under the id of a stop to come, of one that may only send, is parked as a message: the stop is done at its time', async () => {
    const worker = createUpdateBench();
    await worker.deliver(start);
    const [stop] = await worker.plannedStops();
    const bench = createBench(worker.table);

    await bench.park(arn('commands-dlq'), JSON.stringify(stop), { senderId: stranger });
    worker.passMs(8 * 3_600_000);
    await worker.deliverDueStops();

    expect(bench.events).toMatchObject([{ subject: 'message#commands#m1', reason: 'BAD_MESSAGE' }]);
    expect(worker.transitions).toEqual(['aa:starts', 'aa:stops']);
  });
});
