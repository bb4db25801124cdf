import { toError } from '#shared/errors/app-error.ts';
import { nextAttempt, withoutAttempt } from '#shared/ledger/attempt-mark.ts';
import type { PlanRow } from '#shared/ledger/rows/plan-row.ts';
import { expiryOf } from '#shared/ledger/rows/row-expiry.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { later, type RecordResult } from '../_handler/outcome.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-worker.ts';
import type { PlanDeps } from './deps.ts';

/** One plan at work: the object version, the message that told of it, and its row. */
export interface PlanWork {
  readonly pk: string;
  readonly object: ObjectCreated;
  readonly record: QueueRecord;
  readonly context: RecordContext;
  readonly row: Stored<PlanRow> | undefined;
}

/** A plan is sent within seconds. */
const shortWaitMs = 2000;

/** Leaves the mark of this attempt where it is not the first; a plan whose attempts died is handed back with their number. */
export async function beginAttempt(
  work: PlanWork,
  { ledger }: Pick<PlanDeps, 'ledger'>,
): Promise<PlanWork | (PlanWork & { readonly crashes: number }) | { readonly result: RecordResult }> {
  const { context, record, row } = work;
  const { receiveCount } = record;
  const owner = context.attemptId;
  const step = nextAttempt(row, { owner, now: context.now(), remainingMs: context.remainingMs(), receiveCount });
  if (step.kind === 'crash-loop') return { ...work, crashes: step.crashes };
  if (step.kind === 'wait') {
    return { result: later(Math.min(step.delayMs, shortWaitMs), 'another attempt is at this plan') };
  }
  if (step.mark === undefined) return work;
  const marked = await ledger.write<PlanRow>(row, { ...planRow(work), attempt: step.mark });
  return marked === undefined
    ? { result: later(shortWaitMs, 'the row of this plan changed under us') }
    : { ...work, row: marked };
}

/** Says that an attempt ended, though without an outcome. Where that cannot be written the attempt looks like one that died. */
export async function noteEnd(work: PlanWork, { ledger }: Pick<PlanDeps, 'ledger'>): Promise<void> {
  const { row, context } = work;
  if (row !== undefined && row.attempt === undefined) return;
  try {
    await ledger.write<PlanRow>(row, withoutAttempt(planRow(work)));
  } catch (error) {
    context.log.warn(logEvents.failed, 'the end of an attempt could not be noted', { error: toError(error) });
  }
}

/** The row of a plan that has no outcome yet. */
export function planRow({ pk, object, row, context }: PlanWork): PlanRow {
  const { bucket, key, versionId } = object;
  return {
    pk,
    kind: 'plan',
    bucket,
    key,
    versionId,
    attempt: row?.attempt,
    resolutions: row?.resolutions,
    expiresAt: expiryOf('plan', context.now()),
  };
}
