import { toError } from '../../shared/errors/app-error.ts';
import { nextAttempt, withoutAttempt } from '../../shared/ledger/attempt-mark.ts';
import { type AttemptMark, type CommandItem, expiryOf, ledgerKeys } from '../../shared/ledger/items.ts';
import { logEvents } from '../../shared/vocabulary/log-events.ts';
import { later, type RecordResult } from '../_runtime/outcome.ts';
import { shortWaitMs } from './before-call.ts';
import type { CommandWork, UpdateDeps } from './deps.ts';

/** Whether an attempt at a command may begin. */
export type Begun =
  | { readonly kind: 'begun'; readonly work: CommandWork }
  /** Once its mark is left. */
  | { readonly kind: 'marks'; readonly mark: AttemptMark }
  | { readonly kind: 'wait'; readonly result: RecordResult }
  | { readonly kind: 'crash-loop'; readonly crashes: number };

/** Begins the attempt at a command that comes for the first time; a later one leaves its mark before. */
export function beginAttempt(work: CommandWork): Begun {
  const { context, record, row } = work;
  const owner = context.attemptId;
  const { receiveCount } = record;
  const step = nextAttempt(row, { owner, now: context.now(), remainingMs: context.remainingMs(), receiveCount });
  if (step.kind === 'crash-loop') return step;
  if (step.kind === 'wait') return wait(Math.min(step.delayMs, shortWaitMs), 'another attempt is at this command');
  return step.mark === undefined ? { kind: 'begun', work } : { kind: 'marks', mark: step.mark };
}

/** Begins an attempt with its mark in the ledger. */
export async function leaveMark(
  work: CommandWork,
  attempt: AttemptMark,
  deps: Pick<UpdateDeps, 'ledger'>,
): Promise<Exclude<Begun, { readonly kind: 'marks' }>> {
  const marked = await deps.ledger.write<CommandItem>(work.row, { ...(work.row ?? rowUnderWay(work)), attempt });
  if (marked === undefined) return wait(shortWaitMs, 'the row of this command changed under us');
  return { kind: 'begun', work: { ...work, row: marked } };
}

/**
 * Says that an attempt ended, though without an outcome. Where that cannot be written the attempt looks like one that died: three of those in a
 * row are as good a reason to ask a person.
 */
export async function noteEnd(work: CommandWork, { ledger }: Pick<UpdateDeps, 'ledger'>): Promise<void> {
  const { row, context } = work;
  if (row !== undefined && row.attempt === undefined) return;
  try {
    await ledger.write<CommandItem>(row, row === undefined ? rowUnderWay(work) : withoutAttempt(row));
  } catch (error) {
    context.log.warn(logEvents.failed, 'the end of an attempt could not be noted', { error: toError(error) });
  }
}

function rowUnderWay({ asked, context }: CommandWork): CommandItem {
  return {
    pk: ledgerKeys.command(asked.id),
    kind: 'command',
    id: asked.id,
    command: asked,
    expiresAt: expiryOf('command', context.now()),
  };
}

function wait(delayMs: number, why: string): Extract<Begun, { readonly kind: 'wait' }> {
  return { kind: 'wait', result: later(delayMs, why) };
}
