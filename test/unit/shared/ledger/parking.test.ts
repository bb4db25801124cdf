import { describe, expect, test } from 'vitest';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { isParkedMessage, parkedWork, parkMessage } from '#shared/ledger/parking.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';

const sentAt = new Date('2026-11-20T18:00:00.000Z');
const now = new Date('2026-11-20T20:00:00.000Z');

function parking(body = 'not json', at = now) {
  const parked = parkedWork({ body, receiveCount: 3, sentAt }, 'commands', at);
  return { messageId: 'm-1', parked, reason: 'BAD_MESSAGE', detail: 'it is not JSON', now: at } as const;
}

describe('what parking keeps', () => {
  test('is the message, its queue, and when it was seen', () => {
    expect(parking().parked).toEqual({
      message: 'not json',
      queue: 'commands',
      attempts: 3,
      firstSeen: sentAt.toISOString(),
      lastSeen: now.toISOString(),
    });
  });

  test('of a message that no row can hold is its beginning, marked: a part of a message is never sent again', () => {
    const parked = parkedWork({ body: 'x'.repeat(100_001), receiveCount: 1, sentAt }, 'commands', now);
    const row = {
      ...parking(),
      pk: 'message#commands#m-1',
      kind: 'message',
      parked,
      version: 1,
      writer: 'w1',
    } as const;
    const outcome = { kind: 'parked', reason: 'BAD_MESSAGE', at: now.toISOString() } as const;

    expect(parked.isMessageCut).toBe(true);
    expect(parked.message).toHaveLength(100_000);
    expect(
      resolveRepeat({ ...row, outcome, openState: 'PARKED' }, { by: 'ann', reason: 'again', at: now }),
    ).toMatchObject({ ok: false, problem: expect.stringContaining('only a part of its message') });
  });
});

describe('a message that is parked', () => {
  test('waits in the index, without an expiry, under the key that parking answers', async () => {
    const ledger = createMemoryLedger();

    const pk = await parkMessage(ledger, parking());

    expect(pk).toBe(ledgerKeys.message('commands', 'm-1'));
    const { items } = await ledger.listOpen('PARKED');
    expect(items).toMatchObject([{ pk, kind: 'message', outcome: { kind: 'parked', reason: 'BAD_MESSAGE' } }]);
    expect(items[0]).not.toHaveProperty('expiresAt');
    expect(await isParkedMessage(ledger, 'commands', 'm-1')).toBe(true);
  });

  test('and delivered again stays as it is', async () => {
    const ledger = createMemoryLedger();
    const pk = await parkMessage(ledger, parking());
    const first = await ledger.read<MessageRow>(pk);

    await parkMessage(ledger, parking('not json', new Date('2026-11-20T21:00:00.000Z')));

    expect(await ledger.read<MessageRow>(pk)).toEqual(first);
  });

  test('and ordered to be repeated is parked anew where it comes to that', async () => {
    const ledger = createMemoryLedger();
    const pk = await parkMessage(ledger, parking());
    const row = await ledger.read<MessageRow>(pk);
    const repeated = row === undefined ? undefined : resolveRepeat(row, { by: 'ann', reason: 'repaired', at: now });
    if (repeated?.ok !== true) throw new Error('it was not repeated');
    await ledger.write<MessageRow>(row, repeated.row);
    const isParked = await isParkedMessage(ledger, 'commands', 'm-1');

    await parkMessage(ledger, parking());

    expect(isParked).toBe(false);
    expect(await ledger.listOpen('PARKED')).toMatchObject({ items: [{ pk }] });
  });
});
