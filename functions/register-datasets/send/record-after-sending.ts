import { toError } from '#shared/errors/app-error.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { UploadDeps, UploadWork } from '../upload-work.ts';
import { readUpload } from '../conclude.ts';

const firstPauseMs = 100;
const longestPauseMs = 1600;
/** Left for the wrapper's own answer. */
const reserveMs = 500;

/**
 * Writes down what became of a request, again and again until the time is up: the gateway has answered, and the row still says SENDING.
 * @param next - the row to write, made of the row as it then is; `undefined`: that row decides, there is nothing to write
 * @returns the row as it is in the end, whoever wrote it
 * @throws whatever the ledger threw last, when the time is up: the lease ends and the upload is parked, never sent again
 */
export async function recordAfterSending(
  deps: UploadDeps,
  work: UploadWork,
  sending: Stored<UploadRow>,
  next: (row: Stored<UploadRow>) => UploadRow | undefined,
): Promise<Stored<UploadRow> | undefined> {
  const { context } = work;
  let row: Stored<UploadRow> | undefined = sending;

  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      const wanted: UploadRow | undefined = row === undefined ? undefined : next(row);
      if (wanted === undefined) return row;
      const written: Stored<UploadRow> | undefined = await deps.ledger.write(row, wanted);
      if (written !== undefined) return written;
      row = await readUpload(deps, work);
    } catch (error) {
      if (context.remainingMs() < pauseMs + reserveMs) throw error;
      context.log.warn(logEvents.failed, 'the outcome of a sent request could not be written yet', {
        key: work.object.key,
        error: toError(error),
      });
      await deps.sleep(pauseMs);
    }
  }
}
