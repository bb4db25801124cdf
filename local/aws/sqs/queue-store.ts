/**
 * Standard queues over SQLite. One row a message; what AWS calls visible, delayed and in flight
 * follows from three columns: `visible_at`, `receipt` and the clock. So a crash, or a moved clock,
 * needs no repair.
 */
import { randomUUID } from 'node:crypto';
import { withinTransaction, numberColumn, openDatabase, textColumn } from '../storage/open-database.ts';
import type { LocalQueue } from './queues.ts';

/** A message to send. */
export interface NewMessage {
  readonly body: string;
  /** Message attributes, as JSON. */
  readonly attributes?: string;
  readonly delayMs?: number | undefined;
  /** Who sends it, as `SenderId` tells. */
  readonly senderId?: string;
}

/** A message as a receiver gets it. */
export interface StoredMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly attributes: string;
  readonly sentAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt: number;
  readonly senderId: string | undefined;
  /** The queue that gave it up, for messages of a dead-letter queue. */
  readonly source: string | undefined;
}

/** How many messages a queue holds, by state. */
export interface MessageCounts {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** What a receipt handle still stands for. */
type ReceiptState = 'in flight' | 'visible' | 'unknown' | 'too long';

/** The messages of all queues. */
export interface QueueStore {
  send(queue: LocalQueue, message: NewMessage): string;
  receive(queue: LocalQueue, max: number, visibilityMs: number): StoredMessage[];
  remove(queue: string, receipt: string): void;
  changeVisibility(queue: string, receipt: string, visibilityMs: number): ReceiptState;
  /** Moves every message of one queue to another, as a new message there; their number. */
  moveAll(from: string, to: string): number;
  purge(queue: string): void;
  depth(queue: string): MessageCounts;
  /** Milliseconds until the next hidden message of a queue shows, if there is one. */
  nextVisibleInMs(queue: string): number | undefined;
  /** Shows every message in flight at once: after a crash no worker has them any more. */
  releaseInFlight(): number;
  close(): void;
}

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
 * Opens the messages kept in `dataDir`; they come in the order of their sending, each once, unless
 * a disorder is asked for.
 */
export function openQueueStore(dataDir: string, now: () => number, disorder?: DeliveryDisorder): QueueStore {
  const database = openDatabase(dataDir, 'queues.db', SCHEMA);
  const insert = database.prepare(
    'INSERT INTO messages (queue, id, body, attributes, sent_at, visible_at, sender) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const expire = database.prepare('DELETE FROM messages WHERE queue = ? AND sent_at < ?');
  const due = database.prepare(
    'SELECT * FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, seq LIMIT ?',
  );
  const take = database.prepare(
    'UPDATE messages SET receipt = ?, visible_at = ?, receive_count = ?, first_received_at = ? WHERE seq = ?',
  );
  const giveUp = database.prepare(
    'UPDATE messages SET queue = ?, source = ?, receipt = NULL, visible_at = ?, receive_count = ? WHERE seq = ?',
  );
  const byReceipt = database.prepare('SELECT * FROM messages WHERE queue = ? AND receipt = ?');
  const remove = database.prepare('DELETE FROM messages WHERE queue = ? AND receipt = ?');
  const hide = database.prepare('UPDATE messages SET visible_at = ? WHERE queue = ? AND receipt = ?');
  const held = database.prepare('SELECT seq FROM messages WHERE queue = ? ORDER BY seq');
  const move = database.prepare(
    `UPDATE messages SET queue = ?, id = ?, receipt = NULL, visible_at = ?, receive_count = 0,
     first_received_at = NULL, source = NULL, sent_at = ? WHERE seq = ?`,
  );
  const purge = database.prepare('DELETE FROM messages WHERE queue = ?');
  const count = database.prepare(
    `SELECT COALESCE(SUM(visible_at <= ?1), 0) AS visible, COALESCE(SUM(visible_at > ?1 AND receipt IS NOT NULL), 0) AS in_flight,
     COALESCE(SUM(visible_at > ?1 AND receipt IS NULL), 0) AS delayed FROM messages WHERE queue = ?2`,
  );
  const next = database.prepare('SELECT MIN(visible_at) AS at FROM messages WHERE queue = ?');
  const release = database.prepare('UPDATE messages SET visible_at = ?1 WHERE visible_at > ?1 AND receipt IS NOT NULL');

  const takeOne = (
    queue: LocalQueue,
    row: Record<string, unknown>,
    visibilityMs: number,
  ): StoredMessage | undefined => {
    const instant = now();
    const seq = numberColumn(row, 'seq') ?? 0;
    const receiveCount = (numberColumn(row, 'receive_count') ?? 0) + 1;
    if (queue.redrive !== undefined && receiveCount > queue.redrive.maxReceiveCount) {
      giveUp.run(queue.redrive.queue, queue.name, instant, receiveCount, seq);
      return undefined;
    }
    const receipt = `${randomUUID()}/${instant}`;
    const firstReceivedAt = numberColumn(row, 'first_received_at') ?? instant;
    take.run(receipt, instant + visibilityMs, receiveCount, firstReceivedAt, seq);
    return {
      id: textColumn(row, 'id') ?? '',
      receipt,
      body: textColumn(row, 'body') ?? '',
      attributes: textColumn(row, 'attributes') ?? '{}',
      sentAt: numberColumn(row, 'sent_at') ?? 0,
      receiveCount,
      firstReceivedAt,
      senderId: textColumn(row, 'sender'),
      source: textColumn(row, 'source'),
    };
  };

  return {
    send(queue, { body, attributes = '{}', delayMs = queue.attributes.DelaySeconds * 1000, senderId = null }) {
      const id = randomUUID();
      const copyAfterMs = disorder?.copyAfterMs();
      const put = (visibleAt: number) => insert.run(queue.name, id, body, attributes, now(), visibleAt, senderId);
      put(now() + delayMs);
      if (copyAfterMs !== undefined) put(now() + delayMs + copyAfterMs);
      return id;
    },
    receive: (queue, max, visibilityMs) =>
      withinTransaction(database, () => {
        expire.run(queue.name, now() - queue.attributes.MessageRetentionPeriod * 1000);
        const rows =
          disorder === undefined
            ? due.all(queue.name, now(), max)
            : pickInDisorder(due.all(queue.name, now(), disorderReach), max, disorder);
        return rows.flatMap((row) => takeOne(queue, row, visibilityMs) ?? []);
      }),
    remove: (queue, receipt) => void remove.run(queue, receipt),
    changeVisibility(queue, receipt, visibilityMs) {
      const row = byReceipt.get(queue, receipt);
      if (row === undefined) return 'unknown';
      if ((numberColumn(row, 'visible_at') ?? 0) <= now()) return 'visible';
      if (now() + visibilityMs - receivedAt(receipt) > longestVisibilityMs) return 'too long';
      hide.run(now() + visibilityMs, queue, receipt);
      return 'in flight';
    },
    moveAll: (from, to) =>
      withinTransaction(database, () => {
        const rows = held.all(from);
        for (const row of rows) move.run(to, randomUUID(), now(), now(), numberColumn(row, 'seq') ?? 0);
        return rows.length;
      }),
    purge: (queue) => void purge.run(queue),
    depth(queue) {
      const row = count.get(now(), queue) ?? {};
      const of = (column: string): number => numberColumn(row, column) ?? 0;
      return { visible: of('visible'), inFlight: of('in_flight'), delayed: of('delayed') };
    },
    nextVisibleInMs(queue) {
      const at = numberColumn(next.get(queue) ?? {}, 'at');
      return at === undefined ? undefined : Math.max(0, at - now());
    },
    releaseInFlight: () => Number(release.run(now()).changes),
    close: () => database.close(),
  };
}

/** A message stays hidden for at most 12 hours from its receive. */
const longestVisibilityMs = 12 * 3_600_000;

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
