import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import { type ParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { UsageError } from '#operator/errors.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { type ParkedFilter, reasonIn } from '#operator/parked/parked-rows.ts';
import { pastRange } from '../terminal/value-arguments.ts';

/** Options that select parked rows, beside `--reason CODE`. */
export const filterOptions = {
  since: { type: 'string' },
  before: { type: 'string' },
  queue: { type: 'string' },
} as const;

const queues: readonly QueueName[] = ['commands', 'uploads', 'plans'];

/**
 * Reads `--reason CODE` (several times, or with commas), `--since`, `--before` and `--queue`.
 * @throws UsageError
 */
export function parkedFilter(args: CommandArguments, now: Date): ParkedFilter {
  const { since, before } = pastRange(args, now);
  const queue = args.text('queue');
  return {
    reasons: args.texts('reason').flatMap((text) => text.split(',').map((code) => reasonNamed(code))),
    isClosed: before?.isFixed === true,
    ...(since === undefined ? {} : { since: since.at }),
    ...(before === undefined ? {} : { before: before.at }),
    ...(queue === undefined ? {} : { queue: queueNamed(queue) }),
  };
}

function reasonNamed(text: string): ParkReason {
  const reason = reasonIn(text);
  if (reason !== undefined) return reason;
  const known = Object.keys(parkReasons);
  const meant = didYouMean(text.trim().replaceAll(/[- ]/g, '_'), known, ':') || `: there are ${known.join(', ')}`;
  throw new UsageError(`nothing is ever parked for "${text.trim()}"${meant}`);
}

function queueNamed(text: string): QueueName {
  const queue = queues.find((known) => known === text.toLowerCase());
  if (queue !== undefined) return queue;
  const meant = didYouMean(text, queues, ':') || `: there are ${queues.join(', ')}`;
  throw new UsageError(`there is no queue "${text}"${meant}`);
}

/** The filter as words of a command line, its times as instants: typed a minute later they mean the same. */
export function filterWords({ reasons, since, before, queue }: ParkedFilter): readonly string[] {
  return [
    ...reasons.flatMap((reason) => ['--reason', reason]),
    ...(since === undefined ? [] : ['--since', since.toISOString()]),
    ...(before === undefined ? [] : ['--before', before.toISOString()]),
    ...(queue === undefined ? [] : ['--queue', queue]),
  ];
}
