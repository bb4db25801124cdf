import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { parkedWork } from '#shared/ledger/parking.ts';
import type { Outcome, RecordResult } from '../_handler/outcome.ts';
import { keyInTable } from '../_handler/observe.ts';
import { reportOnce } from '../_handler/report-once.ts';
import { followUp } from './follow-ups.ts';
import { inTable, parkedRow, uploadKeyOf, type WhyParked } from './upload-rows.ts';
import type { UploadDeps, UploadWork } from './upload-work.ts';

/** The row changed under us: read it again and obey it. */
export type LookAgain = 'look-again';

type Ended = UploadRow & { readonly outcome: RecordedOutcome };

/** Makes the follow-ups of a row that has its outcome, and answers that outcome; one that an earlier delivery recorded is not reported again. */
export async function conclude(
  deps: UploadDeps,
  work: UploadWork,
  row: Ended,
  { isRepeat } = { isRepeat: false },
): Promise<RecordResult> {
  const { record, context } = work;
  const followUps = () => followUp(deps, row, context);
  return reportOnce(
    outcomeOf(deps, row, row.outcome),
    { isRepeat, followUp: followUps },
    { record, context, random: deps.random },
  );
}

/** Writes the row that carries the outcome, then concludes. */
export async function endWith(
  deps: UploadDeps,
  work: UploadWork,
  row: Stored<UploadRow> | undefined,
  ending: UploadRow,
): Promise<RecordResult | LookAgain> {
  const written = await deps.ledger.write(inTable(row), ending);
  if (written === undefined || !hasOutcome(written)) return 'look-again';
  return conclude(deps, work, written);
}

/** Parks the upload with its message. */
export async function park(
  deps: UploadDeps,
  work: UploadWork,
  row: Stored<UploadRow> | undefined,
  why: WhyParked,
): Promise<RecordResult | LookAgain> {
  const now = work.context.now();
  // Of this very request; what an earlier one left behind, before a person ordered the repeat, is no evidence of this one.
  const evidence = row?.state === 'UNKNOWN' ? evidenceIn(row) : {};
  const kept = { ...parkedWork(work.record, 'uploads', now), ...evidence };
  return endWith(deps, work, row, parkedRow({ object: work.object, row, now }, why, kept));
}

/** Says whether a row carries its outcome. */
export function hasOutcome<Row extends UploadRow>(row: Row): row is Row & { readonly outcome: RecordedOutcome } {
  return row.outcome !== undefined;
}

/** What an earlier attempt found out, without the message of that delivery. */
function evidenceIn({ parked }: UploadRow) {
  if (parked === undefined) return {};
  const { httpStatus, errorCode, requestSent, requestId, lookFor } = parked;
  const found = { httpStatus, errorCode, requestSent, requestId, lookFor };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function outcomeOf({ config: { mode } }: UploadDeps, row: UploadRow, outcome: RecordedOutcome): Outcome {
  const { kind, reason, detail } = outcome;
  const { key, versionId, datasetId, datasetName } = row;
  return {
    kind,
    subject: key,
    reason,
    detail,
    fields: {
      ledgerKey: keyInTable(mode, row.pk),
      ...(mode === 'observe' ? { isObserved: true } : {}),
      versionId,
      datasetId,
      datasetName,
    },
    // The line dataset_created, with what the gateway answered.
    isLogged: kind === 'applied' && datasetId !== undefined,
  };
}

/** Reads the row of an upload, always the newest. */
export async function readUpload(deps: UploadDeps, work: UploadWork): Promise<Stored<UploadRow> | undefined> {
  return deps.ledger.read<UploadRow>(uploadKeyOf(work.object));
}
