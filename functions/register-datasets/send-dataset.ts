import { toError } from '#shared/errors/app-error.ts';
import { classifyFailure, type CreateDatasetInput, laterDelayMs, type Verdict } from '#shared/gateway-client/index.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { withRefusal } from '#shared/ledger/rows/command-row.ts';
import { parkedWork } from '#shared/ledger/rows/message-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { later, type RecordResult } from '../_handler/queue-record.ts';
import { conclude, hasOutcome } from './conclude.ts';
import type { DatasetFields } from './dataset-request.ts';
import { appliedRow, idempotencyKeyOf, movedRow, parkedRow, readUpload, readyRow, requestIdOf } from './upload-rows.ts';
import type { LookAgain, PostingGateway, UploadWithRow } from './upload.ts';

/** Sends the one request that cannot be repeated, of a row that says SENDING, and writes down what became of it. */
export async function sendDataset(
  upload: UploadWithRow,
  { fields, form }: Pick<CreateDatasetInput, 'form'> & { readonly fields: DatasetFields },
  { gateway }: PostingGateway,
): Promise<RecordResult | LookAgain> {
  const { deps, row } = upload;
  const input = { ...fields, form, requestId: requestIdOf(row.pk), idempotencyKey: idempotencyKeyOf(row.pk) };
  let datasetId: string;
  try {
    ({ id: datasetId } = await gateway.createDataset(input));
  } catch (failure) {
    return afterFailure(upload, { failure, lookFor: fields.name ?? fields.fileId });
  }
  const result = await recordApplied(upload, { datasetId, detail: `dataset ${datasetId}` });
  await deps.gate.answered();
  return result;
}

async function recordApplied(
  sending: UploadWithRow,
  created: { readonly datasetId: string; readonly detail: string },
): Promise<RecordResult | LookAgain> {
  const { context, object } = sending;
  const { datasetId } = created;
  // Before the ledger: if the write fails, the id can still be found. It is the only line of an
  // upload that went well: the rest is in its row.
  context.log.info(logEvents.datasetCreated, 'registered', {
    key: object.key,
    xRequestId: requestIdOf(sending.row.pk),
    datasetId,
  });
  const row = await recordAfterSending(sending, (current) =>
    takesTheId(current, sending.row) ? appliedRow({ ...sending, row: current }, created) : undefined,
  );
  if (row?.state === 'APPLIED' && hasOutcome(row)) return conclude(sending, row);
  return 'look-again';
}

/**
 * A known id is stronger than a guess. It also settles the row of this request if another worker
 * took it for unknown meanwhile, or if its approved repeat has not begun.
 */
function takesTheId(current: UploadRow, sending: UploadRow): boolean {
  if (current.state === 'SENDING') return current.owner === sending.owner;
  const isGuess =
    current.state === 'UNKNOWN' ||
    current.state === 'READY' ||
    (current.state === 'PARKED' && current.outcome?.reason === 'POST_OUTCOME_UNKNOWN');
  return isGuess && current.sentAt === sending.sentAt;
}

/** The row first, for any failure of the gateway: no other worker can write it. */
async function afterFailure(
  sending: UploadWithRow,
  { failure, lookFor }: { readonly failure: unknown; readonly lookFor: string | undefined },
): Promise<RecordResult | LookAgain> {
  const { deps, row } = sending;
  const verdict = classifyFailure('post', failure, deps.config.gateway);
  const { datasetId } = verdict;
  const result =
    datasetId === undefined
      ? await recordFailure(sending, { verdict, lookFor })
      : await recordApplied(sending, {
          datasetId,
          detail: `dataset ${datasetId}, which the gateway says was there already`,
        });
  await deps.gate.failed(verdict, row.pk);
  return result;
}

async function recordFailure(
  sending: UploadWithRow,
  { verdict, lookFor }: { readonly verdict: Verdict; readonly lookFor: string | undefined },
): Promise<RecordResult | LookAgain> {
  const { deps, record, context, object } = sending;
  const { why, pauseMs = 0, reason = 'VALIDATION' } = verdict;
  const { answer, ...seen } = verdict.evidence;
  const { pk, owner } = sending.row;
  const by = { owner: context.attemptId, now: context.now() };
  const { refusals, isUsedUp } = withRefusal(sending.row.refusals, verdict, by);
  const state = stateAfter(verdict, isUsedUp);
  const delayMs = Math.max(pauseMs, laterDelayMs(record.receiveCount, deps.random));
  const evidence = { ...seen, requestId: requestIdOf(pk) };
  const kept = parkedWork(record, 'uploads', context.now(), { ...evidence, answer, lookFor });
  const rowAfter = (row: Stored<UploadRow>) => {
    const base = { object, row, context };
    if (state === 'READY') return readyRow(base, delayMs, { lastError: why, evidence, refusals });
    // The evidence is written before anything else is done about it.
    if (state === 'UNKNOWN') return movedRow(base, state, { lastError: why, parked: kept });
    return parkedRow(base, { reason, detail: why }, kept);
  };
  const row = await recordAfterSending(sending, (current) =>
    current.state === 'SENDING' && current.owner === owner ? rowAfter(current) : undefined,
  );
  if (row?.state !== state || state === 'UNKNOWN') return 'look-again';
  if (state === 'READY') return later(delayMs, why);
  return hasOutcome(row) ? conclude(sending, row) : 'look-again';
}

/** The state of an upload after a failed POST; the client has made its repeats already. Pure. */
function stateAfter({ applied, next, reason }: Verdict, isUsedUp = false): 'READY' | 'UNKNOWN' | 'PARKED' {
  if (next === 'later' && !isUsedUp) return 'READY';
  // A 409 is an answer: this request made nothing, but the dataset seems to be there. For any other reason a next step that says "repeat
  // it" would be wrong if it may have been applied.
  return applied === 'unknown' && reason !== 'DUPLICATE_SUSPECTED' ? 'UNKNOWN' : 'PARKED';
}

const firstPauseMs = 100;
const longestPauseMs = 1600;
/** Left for the wrapper's own answer. */
const reserveMs = 500;

/**
 * Writes down what became of a request, again and again until the time is up: the gateway has
 * answered, and the row still says SENDING.
 * @param next - the row to write, made of the row as it then is; `undefined`: that row decides,
 *   there is nothing to write
 * @returns the row as it is in the end, by any writer
 * @throws the ledger's last error, when the time is up: the lease ends and the upload is parked,
 *   never sent again
 */
async function recordAfterSending(
  sending: UploadWithRow,
  next: (row: Stored<UploadRow>) => UploadRow | undefined,
): Promise<Stored<UploadRow> | undefined> {
  const { deps, context, object } = sending;
  let row: Stored<UploadRow> | undefined = sending.row;

  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      const wanted: UploadRow | undefined = row === undefined ? undefined : next(row);
      if (wanted === undefined) return row;
      const written: Stored<UploadRow> | undefined = await deps.ledger.write(row, wanted);
      if (written !== undefined) return written;
      row = await readUpload(sending);
    } catch (error) {
      if (context.remainingMs() < pauseMs + reserveMs) throw error;
      context.log.warn(logEvents.failed, 'the outcome of a sent request could not be written yet', {
        key: object.key,
        error: toError(error),
      });
      await deps.sleep(pauseMs);
    }
  }
}
