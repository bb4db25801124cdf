/**
 * Standard queues over SQLite. One row a message; what AWS calls visible, delayed and in flight
 * follows from three columns: `visible_at`, `receipt` and the clock. So a crash, or a moved clock,
 * needs no repair.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { inTransaction } from '#gateway/store/database.ts';
import { openDatabase } from '../open-database.ts';
import type { LocalQueue } from './declared-queues.ts';
import { hourMs } from '#shared/schedule/duration.ts';

/** A message to send. */
export interface NewMessage {
  readonly body: string;
  /** Message attributes, as JSON. */
  readonly attributes?: string;
  readonly delayMs?: number | undefined;
  /** Who sends it, as `SenderId` tells. */
  readonly senderId?: string;
}

const storedRow = z.object({
  seq: z.number(),
  id: z.string(),
  body: z.string(),
  attributes: z.string(),
  sentAt: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().nullable(),
  senderId: z.string().nullable(),
  /** The queue that gave it up, for messages of a dead-letter queue. */
  source: z.string().nullable(),
});

/** A message as a receiver gets it. */
export type StoredMessage = z.output<typeof storedRow> & { readonly receipt: string };

const countsRow = z.object({ visible: z.number(), inFlight: z.number(), delayed: z.number() });

/** How many messages a queue holds, by state. */
export type MessageCounts = Readonly<z.output<typeof countsRow>>;

/** What a receipt handle still stands for. */
type ReceiptState = 'in flight' | 'visible' | 'unknown' | 'too long';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    attributes TEXT NOT NULL, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL,
    receive_count INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER, receipt TEXT, source TEXT, sender TEXT
  );
  CREATE INDEX IF NOT EXISTS by_queue ON messages (queue, visible_at, seq);
  CREATE INDEX IF NOT EXISTS by_receipt ON messages (receipt);
`;

/**
 * Opens the messages of all queues kept in `dataDir`; they come in the order of their sending, each
 * once, unless a disorder is asked for.
 */
export function openQueueStore(dataDir: string, now: () => number, disorder?: DeliveryDisorder) {
  const database = openDatabase(dataDir, 'queues.db', SCHEMA);
  const insert = database.prepare(
    'INSERT INTO messages (queue, id, body, attributes, sent_at, visible_at, sender) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const expire = database.prepare('DELETE FROM messages WHERE queue = ? AND sent_at < ?');
  const due = database.prepare(
    `SELECT seq, id, body, attributes, sent_at AS sentAt, receive_count AS receiveCount, first_received_at AS firstReceivedAt,
     sender AS senderId, source FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, seq LIMIT ?`,
  );
  const take = database.prepare(
    'UPDATE messages SET receipt = ?, visible_at = ?, receive_count = ?, first_received_at = ? WHERE seq = ?',
  );
  const giveUp = database.prepare(
    'UPDATE messages SET queue = ?, source = ?, receipt = NULL, visible_at = ?, receive_count = ? WHERE seq = ?',
  );
  const byReceipt = database.prepare('SELECT visible_at FROM messages WHERE queue = ? AND receipt = ?');
  const remove = database.prepare('DELETE FROM messages WHERE queue = ? AND receipt = ?');
  const hide = database.prepare('UPDATE messages SET visible_at = ? WHERE queue = ? AND receipt = ?');
  const held = database.prepare('SELECT seq FROM messages WHERE queue = ? ORDER BY seq');
  const move = database.prepare(
    `UPDATE messages SET queue = ?, id = ?, receipt = NULL, visible_at = ?3, receive_count = 0,
     first_received_at = NULL, source = NULL, sent_at = ?3 WHERE seq = ?`,
  );
  const purge = database.prepare('DELETE FROM messages WHERE queue = ?');
  const count = database.prepare(
    `SELECT COALESCE(SUM(visible_at <= ?1), 0) AS visible, COALESCE(SUM(visible_at > ?1 AND receipt IS NOT NULL), 0) AS inFlight,
     COALESCE(SUM(visible_at > ?1 AND receipt IS NULL), 0) AS delayed FROM messages WHERE queue = ?2`,
  );
  const next = database.prepare('SELECT MIN(visible_at) AS at FROM messages WHERE queue = ?');
  const release = database.prepare('UPDATE messages SET visible_at = ?1 WHERE visible_at > ?1 AND receipt IS NOT NULL');

  const takeOne = ({ name, redrive }: LocalQueue, found: unknown, visibilityMs: number): StoredMessage[] => {
    const instant = now();
    const row = storedRow.parse(found);
    const receiveCount = row.receiveCount + 1;
    if (redrive !== undefined && receiveCount > redrive.maxReceiveCount) {
      giveUp.run(redrive.queue, name, instant, receiveCount, row.seq);
      return [];
    }
    const receipt = `${randomUUID()}/${instant}`;
    const firstReceivedAt = row.firstReceivedAt ?? instant;
    take.run(receipt, instant + visibilityMs, receiveCount, firstReceivedAt, row.seq);
    return [{ ...row, receipt, receiveCount, firstReceivedAt }];
  };

  return {
    send(queue: LocalQueue, message: NewMessage): string {
      const { body, attributes = '{}', delayMs = queue.attributes.DelaySeconds * 1000, senderId = null } = message;
      const id = randomUUID();
      const copyAfterMs = disorder?.copyAfterMs();
      const put = (visibleAt: number) => insert.run(queue.name, id, body, attributes, now(), visibleAt, senderId);
      put(now() + delayMs);
      if (copyAfterMs !== undefined) put(now() + delayMs + copyAfterMs);
      return id;
    },
    receive: (queue: LocalQueue, max: number, visibilityMs: number): StoredMessage[] =>
      inTransaction(database, () => {
        expire.run(queue.name, now() - queue.attributes.MessageRetentionPeriod * 1000);
        const rows =
          disorder === undefined
            ? due.all(queue.name, now(), max)
            : pickInDisorder(due.all(queue.name, now(), disorderReach), max, disorder);
        return rows.flatMap((row) => takeOne(queue, row, visibilityMs));
      }),
    remove: (queue: string, receipt: string) => void remove.run(queue, receipt),
    changeVisibility(queue: string, receipt: string, visibilityMs: number): ReceiptState {
      const row = byReceipt.get(queue, receipt);
      if (row === undefined) return 'unknown';
      if (Number(row['visible_at']) <= now()) return 'visible';
      if (now() + visibilityMs - receivedAt(receipt) > longestVisibilityMs) return 'too long';
      hide.run(now() + visibilityMs, queue, receipt);
      return 'in flight';
    },
    /** Moves every message of one queue to another, as a new message there. */
    moveAll: (from: string, to: string) =>
      inTransaction(database, () => {
        for (const { seq = null } of held.all(from)) move.run(to, randomUUID(), now(), seq);
      }),
    purge: (queue: string) => void purge.run(queue),
    depth: (queue: string): MessageCounts => countsRow.parse(count.get(now(), queue)),
    /** Milliseconds until the next hidden message of a queue shows, if there is one. */
    nextVisibleInMs(queue: string): number | undefined {
      const at = next.get(queue)?.['at'];
      return typeof at === 'number' ? Math.max(0, at - now()) : undefined;
    },
    /**
     * Shows every message in flight at once: after a crash no worker has them any more. Their
     * number.
     */
    releaseInFlight: () => Number(release.run(now()).changes),
    close: () => database.close(),
  };
}

/** A message stays hidden for at most 12 hours from its receive. */
const longestVisibilityMs = 12 * hourMs;

/** A receipt ends with the time of the receive that it stands for. */
function receivedAt(receipt: string): number {
  return Number(receipt.split('/').at(-1));
}

// What a standard queue may do and ours otherwise never does: deliver out of order, and a message
// twice. For fault runs.

/** How the queues misbehave within what SQS promises. */
export interface DeliveryDisorder {
  /**
   * Called for each message sent: milliseconds after which it comes once more, also if it was
   * deleted; undefined: it does not.
   */
  readonly copyAfterMs: () => number | undefined;
  /** In [0, 1): decides which of the messages that are due comes next. */
  readonly random: () => number;
}

/**
 * Among so many messages that are due the next one is drawn: the order of a whole backlog is not
 * worth reading it.
 */
const disorderReach = 100;

/** Draws up to `max` of the messages that are due. */
function pickInDisorder<Row>(due: readonly Row[], max: number, { random }: DeliveryDisorder): Row[] {
  const left = [...due];
  const picked: Row[] = [];
  while (picked.length < max && left.length > 0) picked.push(...left.splice(Math.floor(random() * left.length), 1));
  return picked;
}
