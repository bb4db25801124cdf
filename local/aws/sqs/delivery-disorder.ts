/** What a standard queue may do and ours otherwise never does: deliver out of order, and a message twice. For fault runs. */

/** How the queues misbehave within what SQS promises. */
export interface DeliveryDisorder {
  /** Asked for each message sent: milliseconds after which it comes once more, whatever became of it; undefined: it does not. */
  readonly copyAfterMs: () => number | undefined;
  /** In [0, 1): decides which of the messages that are due comes next. */
  readonly random: () => number;
}

/** Among so many messages that are due the next one is drawn: the order of a whole backlog is not worth reading it. */
export const disorderReach = 100;

/** Draws up to `max` of the messages that are due. */
export function pickInDisorder<Row>(due: readonly Row[], max: number, { random }: DeliveryDisorder): Row[] {
  const left = [...due];
  const picked: Row[] = [];
  while (picked.length < max && left.length > 0) picked.push(...left.splice(Math.floor(random() * left.length), 1));
  return picked;
}
