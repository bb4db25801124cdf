import type { SQSRecord } from 'aws-lambda';
import type { VirtualTime } from './virtual-time.ts';

/** A message as the queue keeps it. */
interface Message {
  readonly id: string;
  readonly body: string;
  readonly senderId: string;
  readonly sentMs: number;
  receiveCount: number;
  visibleAtMs: number;
  receipt: string;
}

const retentionMs = 14 * 24 * 3_600_000;

/**
 * A standard queue of SQS in virtual time: any order, at least once, a receipt for each receive,
 * dead letters, 14 days. Without a dead-letter queue a message is received for as long as it is kept.
 */
export function createVirtualQueue(
  time: Pick<VirtualTime, 'nowMs' | 'at' | 'between'>,
  options: {
    readonly name: string;
    readonly visibilityMs: number;
    readonly redrive?: {
      readonly maxReceiveCount: number;
      readonly to: { readonly adopt: (message: Message) => void };
    };
  },
) {
  const arn = `arn:aws:sqs:eu-west-1:000000000000:${options.name}`;
  const messages = new Map<string, Message>();
  const everSent: Message[] = [];
  const receives = new Map<string, Map<number, number>>();
  let sends = 0;
  let poll: (() => void) | undefined;

  function showAt(message: Message, delayMs: number): void {
    message.visibleAtMs = time.nowMs() + delayMs;
    time.at(delayMs, () => poll?.());
  }

  function add(message: Message): void {
    messages.set(message.id, message);
    everSent.push(message);
    showAt(message, 0);
  }

  function held(receipt: string): Message | undefined {
    const message = messages.get(receipt.slice(0, receipt.lastIndexOf('/')));
    return message?.receipt === receipt ? message : undefined;
  }

  /** Those that can be received. Those that were not taken in time are gone. */
  function visible(): Message[] {
    const nowMs = time.nowMs();
    const shown: Message[] = [];
    for (const message of messages.values()) {
      if (nowMs - message.sentMs > retentionMs) messages.delete(message.id);
      else if (message.visibleAtMs <= nowMs) shown.push(message);
    }
    return shown;
  }

  /** Gives the message to its receiver, or to the dead-letter queue. */
  function received(message: Message): SQSRecord | undefined {
    if (message.receiveCount >= (options.redrive?.maxReceiveCount ?? Infinity)) {
      messages.delete(message.id);
      options.redrive?.to.adopt({ ...message, receiveCount: 0, receipt: '' });
      return undefined;
    }
    message.receiveCount += 1;
    message.receipt = `${message.id}/${message.receiveCount}`;
    showAt(message, options.visibilityMs);
    countReceive(receives, message.id, Math.floor(time.nowMs() / 60_000));
    return recordOf(message, arn);
  }

  return {
    arn,
    /** How often each message was received, by virtual minute: a hot loop shows here. */
    receives: receives as ReadonlyMap<string, ReadonlyMap<number, number>>,
    /** Takes a dead letter of another queue. */
    adopt: add,
    send(body: string, senderId = 'AIDA-person'): string {
      sends += 1;
      const id = `${options.name}-${sends}`;
      add({ id, body, senderId, sentMs: time.nowMs(), receiveCount: 0, visibleAtMs: 0, receipt: '' });
      return id;
    },
    /** Up to `most` visible messages, in any order; each is out of sight for the visibility timeout. */
    receive(most: number): readonly SQSRecord[] {
      const shown = visible();
      const taken: SQSRecord[] = [];
      while (shown.length > 0 && taken.length < most) {
        const [message] = shown.splice(time.between(0, shown.length - 1), 1);
        const record = message && received(message);
        if (record !== undefined) taken.push(record);
      }
      return taken;
    },
    /** Acknowledges. With the receipt of an older receive the message may come again, as SQS says. */
    remove(receipt: string): void {
      const message = held(receipt);
      if (message !== undefined) messages.delete(message.id);
    },
    /** @throws if the message is gone, or was received again since */
    postpone(receipt: string, delayMs: number): void {
      const message = held(receipt);
      if (message === undefined) throw new Error('MessageNotInflight');
      showAt(message, Math.ceil(delayMs / 1000) * 1000);
    },
    /** Delivers one more time a message that is in flight, waiting or long gone. */
    duplicate(pick: number): void {
      const message = everSent[pick % everSent.length];
      if (message === undefined) return;
      messages.set(message.id, message);
      showAt(message, 0);
    },
    /** Drops every message, also those that are out of sight: PurgeQueue. */
    purge: () => messages.clear(),
    /** Every message that was ever sent here. */
    sent: (): readonly Readonly<Message>[] => everSent,
    /** Messages that are not acknowledged. */
    size: () => messages.size,
    /** Told whenever something can be received. */
    onVisible(tell: () => void): void {
      poll = tell;
    },
  };
}

/** A queue of a simulation. */
export type VirtualQueue = ReturnType<typeof createVirtualQueue>;

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
      SenderId: message.senderId,
      ApproximateFirstReceiveTimestamp: String(message.sentMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'eu-west-1',
  };
}
