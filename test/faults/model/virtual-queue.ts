import type { SQSRecord } from 'aws-lambda';
import type { VirtualTime } from './virtual-time.ts';

/** A standard queue of SQS in virtual time: any order, at least once, a receipt for each receive, dead letters, 14 days. */
export interface VirtualQueue {
  readonly arn: string;
  readonly send: (body: string) => string;
  /** Up to `most` visible messages, in any order; each is out of sight for the queue's visibility timeout. */
  readonly receive: (most: number) => readonly SQSRecord[];
  /** Acknowledges. With the receipt of an older receive the message may come again, as SQS says. */
  readonly remove: (receipt: string) => void;
  /** @throws where the message is gone, or was received again since */
  readonly postpone: (receipt: string, delayMs: number) => void;
  /** Delivers one more time a message that is in flight, waiting or long gone. */
  readonly duplicate: (pick: number) => void;
  /** Every message that was ever sent here. */
  readonly sent: () => readonly Readonly<Message>[];
  /** Messages that are not acknowledged. */
  readonly size: () => number;
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
}

const retentionMs = 14 * 24 * 3_600_000;

/** Makes a queue; without a dead-letter queue a message is received for as long as it is kept. */
export function createVirtualQueue(
  time: VirtualTime,
  options: {
    readonly name: string;
    readonly visibilityMs: number;
    readonly redrive?: {
      readonly maxReceiveCount: number;
      readonly to: { readonly adopt: (message: Message) => void };
    };
  },
): VirtualQueue & { readonly adopt: (message: Message) => void } {
  const arn = `arn:aws:sqs:eu-west-1:000000000000:${options.name}`;
  const messages = new Map<string, Message>();
  const everSent: Message[] = [];
  const receives = new Map<string, Map<number, number>>();
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
    return [...messages.values()].find((message) => message.receipt === receipt);
  }

  /** Gives the message to whoever received it, or to the dead-letter queue. */
  function received(message: Message): SQSRecord | undefined {
    if (message.receiveCount >= (options.redrive?.maxReceiveCount ?? Infinity)) {
      messages.delete(message.id);
      options.redrive?.to.adopt({ ...message, receiveCount: 0, receipt: '' });
      return undefined;
    }
    message.receiveCount += 1;
    message.receipt = `${message.id}/${message.receiveCount}`;
    showAt(message, options.visibilityMs);
    count(receives, message.id, Math.floor(time.nowMs() / 60_000));
    return recordOf(message, arn);
  }

  return {
    arn,
    receives,
    adopt: add,
    send(body) {
      const id = `${options.name}-${everSent.length + 1}`;
      add({ id, body, sentMs: time.nowMs(), receiveCount: 0, visibleAtMs: 0, receipt: '' });
      return id;
    },
    receive(most) {
      const nowMs = time.nowMs();
      for (const { id, sentMs } of messages.values()) if (nowMs - sentMs > retentionMs) messages.delete(id);
      const visible = [...messages.values()].filter((message) => message.visibleAtMs <= nowMs);
      const taken: SQSRecord[] = [];
      while (visible.length > 0 && taken.length < most) {
        const [message] = visible.splice(time.between(0, visible.length - 1), 1);
        const record = message === undefined ? undefined : received(message);
        if (record !== undefined) taken.push(record);
      }
      return taken;
    },
    remove(receipt) {
      const message = held(receipt);
      if (message !== undefined) messages.delete(message.id);
    },
    postpone(receipt, delayMs) {
      const message = held(receipt);
      if (message === undefined) throw new Error('MessageNotInflight');
      showAt(message, Math.ceil(delayMs / 1000) * 1000);
    },
    duplicate(pick) {
      const message = everSent[pick % everSent.length];
      if (message === undefined) return;
      messages.set(message.id, message);
      showAt(message, 0);
    },
    sent: () => everSent,
    size: () => messages.size,
    onVisible: (tell) => {
      poll = tell;
    },
  };
}

function count(receives: Map<string, Map<number, number>>, id: string, minute: number): void {
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
