import type { SQSRecord } from 'aws-lambda';
import { createDueList, type VirtualTime } from './virtual-time.ts';

/**
 * A standard queue of SQS in virtual time: any order, at least once, a receipt for each receive,
 * dead letters, 14 days.
 */
export interface VirtualQueue {
  readonly arn: string;
  readonly send: (body: string) => string;
  /**
   * Up to `most` visible messages, in any order; each is out of sight for the queue's visibility
   * timeout.
   */
  readonly receive: (most: number) => readonly SQSRecord[];
  /** Acknowledges. With the receipt of an older receive the message may come again, as SQS says. */
  readonly remove: (receipt: string) => void;
  /** @throws if the message is gone, or was received again since */
  readonly postpone: (receipt: string, delayMs: number) => void;
  /** Delivers one more time a message that is in flight, waiting or long gone. */
  readonly duplicate: (pick: number) => void;
  /** Drops every message, also those that are out of sight: PurgeQueue. */
  readonly purge: () => void;
  /** Every message that was ever sent here. */
  readonly sent: () => readonly Readonly<Message>[];
  /** Messages that are not acknowledged. */
  readonly size: () => number;
  /** The most that were received and not acknowledged, or hidden for a while, at one time. */
  readonly mostInFlight: () => number;
  /** Told whenever something can be received. */
  readonly onVisible: (poll: () => void) => void;
  /** How often each message was received, by virtual minute: a hot loop shows here. */
  readonly receives: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A message as the queue keeps it. */
interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentMs: number;
  receiveCount: number;
  visibleAtMs: number;
  receipt: string;
  /** Its place among the messages of the queue that it is in. */
  place: number;
}

const retentionMs = 14 * 24 * 3_600_000;

/** Makes a queue; without a dead-letter queue a message is received for as long as it is kept. */
export function createVirtualQueue(
  time: VirtualTime,
  options: {
    readonly name: string;
    readonly visibilityMs: number;
    /**
     * How many may be received and not acknowledged at once; what a standard queue allows: 120,000.
     * @default any number
     */
    readonly mostInFlight?: number;
    /**
     * Keeps nothing of what is over, so that a million messages fit into memory: `sent`,
     * `duplicate` and `receives` know of none.
     */
    readonly forgets?: true;
    readonly redrive?: {
      readonly maxReceiveCount: number;
      readonly to: { readonly adopt: (message: Message) => void };
    };
  },
): VirtualQueue & { readonly adopt: (message: Message) => void } {
  const arn = `arn:aws:sqs:eu-west-1:000000000000:${options.name}`;
  /** By id, in the order of their places. */
  const messages = new Map<string, Message>();
  const visible = createRankedSet<Message>();
  /**
   * What comes into sight by itself. One that was acknowledged, shown or hidden since is still in
   * here, and passed over.
   */
  const hidden = createDueList<Message>();
  const everSent: Message[] = [];
  const receives = new Map<string, Map<number, number>>();
  let sends = 0;
  let mostInFlight = 0;
  let places = 0;
  /** No message is older: most receives need not look for those whose time is over. */
  let oldestMs = Infinity;
  let poll: (() => void) | undefined;

  function showAt(message: Message, delayMs: number): void {
    message.visibleAtMs = time.nowMs() + delayMs;
    if (delayMs > 0) visible.remove(message.place);
    hidden.add(message.visibleAtMs, message);
    time.at(delayMs, () => poll?.());
  }

  /** Moves into sight whatever is due. */
  function lookUp(): void {
    const nowMs = time.nowMs();
    for (let due = hidden.take(nowMs); due !== undefined; due = hidden.take(nowMs)) {
      const message = due.what;
      if (message.visibleAtMs <= nowMs && messages.get(message.id) === message) visible.add(message.place, message);
    }
  }

  function put(message: Message): void {
    const before = messages.get(message.id);
    if (before === message) return;
    if (before !== undefined) visible.remove(before.place);
    message.place = before?.place ?? places;
    if (before === undefined) places += 1;
    messages.set(message.id, message);
    oldestMs = Math.min(oldestMs, message.sentMs);
  }

  function drop(message: Message): void {
    visible.remove(message.place);
    messages.delete(message.id);
  }

  function add(message: Message): void {
    put(message);
    if (options.forgets !== true) everSent.push(message);
    showAt(message, 0);
  }

  function held(receipt: string): Message | undefined {
    const message = messages.get(receipt.slice(0, receipt.lastIndexOf('/')));
    return message?.receipt === receipt ? message : undefined;
  }

  /** Those that were not taken in time are gone. */
  function dropExpired(): void {
    const nowMs = time.nowMs();
    if (nowMs - oldestMs <= retentionMs) return;
    oldestMs = Infinity;
    for (const message of messages.values()) {
      if (nowMs - message.sentMs > retentionMs) drop(message);
      else oldestMs = Math.min(oldestMs, message.sentMs);
    }
  }

  /** Gives the message to its receiver, or to the dead-letter queue. */
  function received(message: Message): SQSRecord | undefined {
    if (message.receiveCount >= (options.redrive?.maxReceiveCount ?? Infinity)) {
      drop(message);
      options.redrive?.to.adopt({ ...message, receiveCount: 0, receipt: '' });
      return undefined;
    }
    message.receiveCount += 1;
    message.receipt = `${message.id}/${message.receiveCount}`;
    showAt(message, options.visibilityMs);
    if (options.forgets !== true) countReceive(receives, message.id, Math.floor(time.nowMs() / 60_000));
    return recordOf(message, arn);
  }

  return {
    arn,
    receives,
    adopt: add,
    send(body) {
      sends += 1;
      const id = `${options.name}-${sends}`;
      add({ id, body, sentMs: time.nowMs(), receiveCount: 0, visibleAtMs: 0, receipt: '', place: 0 });
      return id;
    },
    receive(most) {
      dropExpired();
      lookUp();
      const taken: SQSRecord[] = [];
      const inFlight = messages.size - visible.size();
      const room = (options.mostInFlight ?? Infinity) - inFlight;
      while (visible.size() > 0 && taken.length < Math.min(most, room)) {
        const message = visible.at(time.between(0, visible.size() - 1));
        const record = message === undefined ? undefined : received(message);
        if (record !== undefined) taken.push(record);
      }
      mostInFlight = Math.max(mostInFlight, inFlight + taken.length);
      return taken;
    },
    remove(receipt) {
      const message = held(receipt);
      if (message !== undefined) drop(message);
    },
    postpone(receipt, delayMs) {
      const message = held(receipt);
      if (message === undefined) throw new Error('MessageNotInflight');
      showAt(message, Math.ceil(delayMs / 1000) * 1000);
    },
    duplicate(pick) {
      const message = everSent[pick % everSent.length];
      if (message === undefined) return;
      put(message);
      showAt(message, 0);
    },
    purge() {
      for (const message of messages.values()) drop(message);
    },
    sent: () => everSent,
    size: () => messages.size,
    mostInFlight: () => mostInFlight,
    onVisible: (tell) => {
      poll = tell;
    },
  };
}

function countReceive(receives: Map<string, Map<number, number>>, id: string, minute: number): void {
  const minutes = receives.get(id) ?? new Map<number, number>();
  receives.set(id, minutes.set(minute, (minutes.get(minute) ?? 0) + 1));
}

function recordOf(message: Message, arn: string): SQSRecord {
  return {
    messageId: message.id,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentMs),
      SenderId: 'simulation',
      ApproximateFirstReceiveTimestamp: String(message.sentMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'eu-west-1',
  };
}

/**
 * Things with a place each, of which the n-th can be asked for: how a queue of a million messages
 * gives out any of them.
 */
interface RankedSet<T> {
  /** Adds what is not there yet; places are whole numbers from 0. */
  readonly add: (place: number, what: T) => void;
  readonly remove: (place: number) => void;
  /** The one with so many places taken before its own. */
  readonly at: (rank: number) => T | undefined;
  readonly size: () => number;
}

/** An empty set: a Fenwick tree over the places, every step of the logarithm of their number. */
function createRankedSet<T>(): RankedSet<T> {
  const members = new Map<number, T>();
  let tree = new Int32Array(1024 + 1);

  function count(place: number, change: 1 | -1): void {
    for (let node = place + 1; node < tree.length; node += node & -node) tree[node] = (tree[node] ?? 0) + change;
  }

  function grow(place: number): void {
    let places = tree.length - 1;
    while (places <= place) places *= 2;
    tree = new Int32Array(places + 1);
    for (const member of members.keys()) count(member, 1);
  }

  return {
    add(place, what) {
      if (members.has(place)) return;
      if (place >= tree.length - 1) grow(place);
      members.set(place, what);
      count(place, 1);
    },
    remove(place) {
      if (members.delete(place)) count(place, -1);
    },
    at(rank) {
      let node = 0;
      let left = rank;
      for (let step = tree.length - 1; step > 0; step >>= 1) {
        const taken = tree[node + step];
        if (taken === undefined || taken > left) continue;
        node += step;
        left -= taken;
      }
      return members.get(node);
    },
    size: () => members.size,
  };
}
