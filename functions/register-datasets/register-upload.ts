import { laterDelayMs } from '#shared/gateway-client/index.ts';
import { isPastHorizon, parkedWork } from '#shared/ledger/parking.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { later, type RecordResult } from '../_handler/outcome.ts';
import { claimUpload } from './claim-upload.ts';
import { conclude, hasOutcome, type LookAgain, park, readUpload } from './conclude.ts';
import { requestIdOf, unknownRow } from './upload-rows.ts';
import { nextUploadStep, type UploadStep } from './upload-states.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/** Each look follows a step of our own or a lost race; a row that changes faster is somebody else's work. */
const mostLooks = 8;

/**
 * Registers one object version: reads its row, does what the row allows, and ends with an outcome or goes back to the queue. Idempotent by
 * the object version; nothing is sent unless the row says SENDING in this attempt's name.
 */
export async function registerUpload(deps: UploadDeps, work: UploadWork): Promise<RecordResult> {
  const result = await takeSteps(deps, work);
  return result.kind === 'later' ? parkAtHorizon(deps, work, result) : result;
}

async function takeSteps(deps: UploadDeps, work: UploadWork): Promise<RecordResult> {
  for (let look = 0; look < mostLooks; look += 1) {
    const row = await readUpload(deps, work);
    const result = await take(deps, work, row, nextUploadStep(row, deliveryOf(work)));
    if (result !== 'look-again') return result;
  }
  return later(laterDelayMs(work.record.receiveCount, deps.random), 'the row of this upload keeps changing');
}

async function take(
  deps: UploadDeps,
  work: UploadWork,
  row: Stored<UploadRow> | undefined,
  step: UploadStep,
): Promise<RecordResult | LookAgain> {
  switch (step.kind) {
    case 'ended':
      return row !== undefined && hasOutcome(row)
        ? conclude(deps, work, row, { isRepeat: true })
        : endedWithoutOutcome(row);
    case 'wait':
      return later(step.delayMs, step.why);
    case 'crash-loop':
      return park(deps, work, row, {
        reason: 'CRASH_LOOP',
        detail: `${step.crashes} attempts started and never said how they ended; nothing was sent`,
      });
    case 'mark-unknown':
      return markUnknown(deps, work, row);
    case 'park-unknown':
      return park(deps, work, row, { reason: 'POST_OUTCOME_UNKNOWN', detail: row?.lastError ?? 'its worker died' });
    case 'begin':
      return claimUpload(deps, work, row, { crashes: 0, isWritten: false });
    case 'claim':
      return claimUpload(deps, work, row, { crashes: step.crashes, isWritten: true });
  }
}

function deliveryOf({ record, context }: UploadWork) {
  return { now: context.now(), receiveCount: record.receiveCount };
}

/** No row is written so; a hand that edited the table may have. */
function endedWithoutOutcome(row: UploadRow | undefined): never {
  throw new Error(`the ledger row ${row?.pk ?? ''} has ended (${row?.state ?? ''}) and carries no outcome`);
}

async function markUnknown(deps: UploadDeps, work: UploadWork, row: Stored<UploadRow> | undefined): Promise<LookAgain> {
  if (row === undefined) return 'look-again';
  const { object, record, context } = work;
  const now = context.now();
  const detail = `its worker died between ${row.sentAt ?? 'the mark'} and an answer: it may have been sent`;
  const kept = parkedWork(record, 'uploads', now, {
    requestId: requestIdOf(row.pk),
    lookFor: row.datasetName,
  });
  await deps.ledger.write(row, unknownRow({ object, row, now }, detail, kept));
  return 'look-again';
}

/**
 * Parks what a day was not enough for, counted from its message or from its row: a message that the reconciler sent anew is younger than the
 * work. Whatever is being sent, or held by somebody at this moment, is left to its own end.
 */
async function parkAtHorizon(deps: UploadDeps, work: UploadWork, result: RecordResult): Promise<RecordResult> {
  const row = await readUpload(deps, work);
  const now = work.context.now();
  if (!isPastHorizon(beganAt(row, work), now)) return result;
  const step = nextUploadStep(row, deliveryOf(work));
  const isFree = step.kind === 'begin' || step.kind === 'claim' || row?.state === 'READY';
  if (!isFree) return result;
  const why = result.kind === 'later' ? result.why : '';
  const parked = await park(deps, work, row, {
    reason: 'HORIZON_EXCEEDED',
    detail: `not done within a day; last: ${row?.lastError ?? why}`,
  });
  return parked === 'look-again' ? result : parked;
}

/** The age of its message or of its row, whichever is older. */
function beganAt(row: UploadRow | undefined, { record, context }: UploadWork): Date {
  const openSince = Date.parse(row?.openSince ?? '') || context.now().getTime();
  return new Date(Math.min(record.sentAt.getTime(), openSince));
}
