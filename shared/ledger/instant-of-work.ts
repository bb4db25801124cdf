import type { Resolution } from './rows/message-row.ts';

/**
 * The instant that the commands which follow from a piece of work are stamped with: when it came up, or when a person last decided about it,
 * so that what is settled hours later still starts its run. A person's clock may be wrong: never later than now, never before the work.
 */
export function instantOfWork(
  work: { readonly since: string; readonly resolutions?: readonly Resolution[] | undefined },
  now: Date,
): string {
  const decidedAt = work.resolutions?.at(-1)?.at;
  if (decidedAt === undefined) return work.since;
  const notAhead = Math.min(Date.parse(decidedAt), now.getTime());
  return notAhead > Date.parse(work.since) ? new Date(notAhead).toISOString() : work.since;
}
