import { toError } from '#shared/errors/app-error.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { later, type RecordResult } from '../_handler/outcome.ts';
import { readUpload } from './conclude.ts';
import { inTable, readyRow } from './upload-rows.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/**
 * Gives an upload back of which nothing was sent: it is READY for its next delivery, and the attempt is no crash. If that cannot be
 * written, the lease ends by itself. The row decides, not what this attempt knows of it: an answer to a write of its own may have been lost.
 */
export async function release(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  why: { readonly delayMs: number; readonly lastError: string },
): Promise<RecordResult> {
  const { context, object } = work;
  try {
    const row = (await readUpload(deps, work)) ?? claimed;
    if (row.owner === context.attemptId && (row.state === 'CLAIMED' || row.state === 'SENDING')) {
      await deps.ledger.write(inTable(row), readyRow({ object, row, now: context.now() }, why));
    }
  } catch (error) {
    context.log.warn(logEvents.failed, 'the claim could not be given back; its lease ends by itself', {
      key: object.key,
      error: toError(error),
    });
  }
  return later(why.delayMs, why.lastError);
}
