import type { ParkableRow, QueueName } from '#shared/ledger/rows/message-row.ts';
import { isParkReason, type ParkReason } from '#shared/vocabulary/reason-codes.ts';

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

/** The code that a person means, in any case and with hyphens or spaces; undefined where it is none. */
export function reasonIn(text: string): ParkReason | undefined {
  const code = text.trim().toUpperCase().replaceAll(/[- ]/g, '_');
  return isParkReason(code) ? code : undefined;
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
