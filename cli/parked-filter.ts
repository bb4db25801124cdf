import type { ParkableRow, QueueName } from '#shared/ledger/rows/message-row.ts';
import { isParkReason, parkReasons, type ParkReason } from '#shared/vocabulary/reason-codes.ts';
import type { CommandArguments } from './arguments.ts';
import { UsageError } from './errors.ts';
import { pastRange } from './instant-argument.ts';
import { didYouMean } from './nearest.ts';

/** Which parked rows a command is about; all of them where nothing is said. */
export interface ParkedFilter {
  readonly reasons: readonly ParkReason[];
  /** Parked at this instant or later. */
  readonly since?: Date;
  /** Parked before this instant. */
  readonly before?: Date;
  /** Whether `before` was given as an instant: then nothing that is parked from now on can be among the rows. */
  readonly isClosed: boolean;
  readonly queue?: QueueName;
}

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

/** The code that a person means, in any case and with hyphens or spaces; undefined where it is none. */
export function reasonIn(text: string): ParkReason | undefined {
  const code = text.trim().toUpperCase().replaceAll(/[- ]/g, '_');
  return isParkReason(code) ? code : undefined;
}

function reasonNamed(text: string): ParkReason {
  const reason = reasonIn(text);
  if (reason !== undefined) return reason;
  const known = Object.keys(parkReasons);
  const meant = didYouMean(text.trim().replaceAll(/[- ]/g, '_'), known) || `: there are ${known.join(', ')}`;
  throw new UsageError(`nothing is ever parked for "${text.trim()}"${meant}`);
}

function queueNamed(text: string): QueueName {
  const queue = queues.find((known) => known === text.toLowerCase());
  if (queue !== undefined) return queue;
  const meant = didYouMean(text, queues) || `: there are ${queues.join(', ')}`;
  throw new UsageError(`there is no queue "${text}"${meant}`);
}

/** Whether anything is selected at all. */
export function selects({ reasons, since, before, queue }: ParkedFilter): boolean {
  return reasons.length > 0 || since !== undefined || before !== undefined || queue !== undefined;
}

/** Whether a row is one of those. */
export function isSelected(row: ParkableRow, filter: ParkedFilter): boolean {
  const { reasons, since, before, queue } = filter;
  const at = Date.parse(row.openSince ?? row.outcome?.at ?? '');
  return (
    (reasons.length === 0 || reasons.some((reason) => reason === row.outcome?.reason)) &&
    (since === undefined || at >= since.getTime()) &&
    (before === undefined || at < before.getTime()) &&
    (queue === undefined || row.parked?.queue === queue)
  );
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
