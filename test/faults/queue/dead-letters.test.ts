import { stageSenders } from '../../builders/commands-by-sender.ts';
import { expect, test } from 'vitest';
import { parkDeadLetter } from '#functions/park-dead-letters/park-dead-letter.ts';
import { handleBatch } from '#functions/_handler/queue-worker.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createPolledQueue, keptReports } from './queue-bench.ts';
const hourMs = 3_600_000;

function failing(ledger: Ledger, isBroken: () => boolean): Ledger {
  return {
    ...ledger,
    async write(before, after) {
      if (isBroken()) throw new Error('AccessDeniedException');
      return ledger.write(before, after);
    },
  };
}

/** A dead-letter queue and its function, which cannot reach the ledger until it is mended. */
function createDeadLetters() {
  const ledger = createMemoryLedger();
  const events: unknown[] = [];
  const { reports } = keptReports();
  let nowMs = Date.parse('2026-11-20T10:00:00Z');
  let isMended = false;
  const queue = createPolledQueue(() => nowMs, 360_000);
  const deps = {
    queueOf: () => 'uploads' as const,
    mode: 'act' as const,
    senders: stageSenders,
    schedules: [],
    random: () => 0.5,
    bus: {
      publish: async (_type: unknown, detail: unknown) => {
        events.push(detail);
      },
    },
    ledger: failing(ledger, () => !isMended),
  };
  const poll = () =>
    queue.poll((event) =>
      handleBatch(
        event,
        { requestId: 'r', remainingMs: () => 60_000 },
        {
          handleRecord: (record, context) => parkDeadLetter(record, context, deps),
          postpone: async () => {},
          recordBudgetMs: 5000,
          reports,
          now: () => new Date(nowMs),
          random: () => 0.5,
        },
      ),
    );
  return {
    ledger,
    events,
    queue,
    poll,
    mend: () => {
      isMended = true;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('[C15] dead letters wait while their function fails for 13 days, and are parked once when it works again', async () => {
  const { queue, poll, mend, pass, ledger, events } = createDeadLetters();
  const sent = ['a', 'b', 'c'].map((body) => queue.send(body));

  for (let hour = 0; hour < 13 * 24; hour += 1) {
    await poll();
    pass(hourMs);
  }
  expect([queue.left(), ledger.all(), events]).toEqual([3, [], []]);
  mend();
  await poll();

  expect(queue.left()).toBe(0);
  const letters = ledger.all().filter(({ openState }) => openState !== undefined);
  expect(letters.map(({ pk, openState }) => [pk, openState])).toEqual(
    sent.map((id) => [`message#uploads#${id}`, 'PARKED']),
  );
  expect(events).toHaveLength(3);
});
