import { describe, expect, test, vi } from 'vitest';
import { parkMessage } from '#functions/_handler/queue-worker.ts';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { resolveRepeat } from '#operator/parked/resolve-parked.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { quietLog } from '../../../builders/ports.ts';

const sentAt = new Date('2026-11-20T18:00:00.000Z');
const pk = ledgerKeys.message('commands', 'm-1');

function createBench() {
  const ledger = createMemoryLedger();
  const publish = vi.fn<OutcomePublisher['publish']>(async () => {});
  const park = (at = new Date('2026-11-20T20:00:00.000Z'), messageId = 'm-1') => {
    const record = { messageId, body: 'not json', receiveCount: 3, sentAt, queueArn: 'commands' };
    const context = { log: quietLog, now: () => at, remainingMs: () => 1000, attemptId: 'attempt' };
    const parking = { queue: 'commands', reason: 'BAD_MESSAGE', detail: 'it is not JSON' } as const;
    return parkMessage({ record, context }, parking, { ledger, bus: { publish }, random: () => 0.5 });
  };
  return { ledger, publish, park, row: () => ledger.read<MessageRow>(pk) };
}

const at = (minute: number) => new Date(Date.parse('2026-11-20T20:00:00.000Z') + minute * 60_000);

describe('a message that is parked', () => {
  test('waits in the index, with what it said, when it was seen and without an expiry', async () => {
    const { ledger, park } = createBench();

    const result = await park();

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', subject: pk }] });
    const { items } = await ledger.listOpen('PARKED');
    const parked = {
      message: 'not json',
      queue: 'commands',
      attempts: 3,
      firstSeen: sentAt.toISOString(),
      lastSeen: '2026-11-20T20:00:00.000Z',
    };
    expect(items).toMatchObject([{ pk, kind: 'message', outcome: { kind: 'parked', reason: 'BAD_MESSAGE' }, parked }]);
    expect(items[0]).not.toHaveProperty('expiresAt');
  });

  test('is one mail an hour at most, and that one again if its event has to be published again', async () => {
    const { park, publish } = createBench();
    for (const [minute, id] of [
      [0, 'm-1'],
      [0, 'm-2'],
      [1, 'm-1'],
      [59, 'm-3'],
      [60, 'm-4'],
      [61, 'm-5'],
    ] as const)
      await park(at(minute), id);

    const mailed = publish.mock.calls.filter(([, { isQuiet }]) => isQuiet === undefined);
    expect(publish).toHaveBeenCalledTimes(6);
    expect(mailed.map(([, { eventId }]) => eventId.slice(-3))).toEqual(['m-1', 'm-1', 'm-4']);
  });

  test('and ordered to be repeated is parked again if it comes to that, and the decision stays', async () => {
    const { ledger, park, row } = createBench();
    await park();
    const before = await row();
    const repeated =
      before && resolveRepeat(before, { by: 'ann', reason: 'repaired', at: new Date('2026-11-20T20:30:00.000Z') });
    if (repeated?.ok !== true) throw new Error('it was not repeated');
    await ledger.write<MessageRow>(before, repeated.row);

    await park();

    const resolutions = [{ decision: 'repeat', by: 'ann' }];
    expect(await ledger.listOpen('PARKED')).toMatchObject({ items: [{ pk, resolutions }] });
  });
});
