import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';

/** An object version that was accepted, what the ledger says of it, and what the gateway made of it. */
export interface JudgedUpload {
  readonly row: UploadRow | undefined;
  /** Ids of its datasets. */
  readonly made: readonly string[];
  /** That a person ordered. @default 0 */
  readonly repeats?: number;
  /** SQS gave its message up. @default it did not */
  readonly isGivenUp?: boolean;
}

/** I1, I2 and I4 of one upload: each promise that it broke, in one sentence. */
export function judgeUpload(upload: JudgedUpload): readonly string[] {
  return [...lost(upload), ...doubled(upload), ...(upload.isGivenUp === true ? [] : untrue(upload))];
}

function lost({ row, isGivenUp = false }: JudgedUpload): readonly string[] {
  if (isGivenUp) return [];
  if (row === undefined) return ['I1: no row in the ledger'];
  return row.outcome === undefined ? [`I1: it ended as ${row.state}, without an outcome`] : [];
}

function doubled({ made, repeats = 0 }: JudgedUpload): readonly string[] {
  return made.length > 1 + repeats ? [`I2: ${made.length} datasets were made with ${repeats} repeats ordered`] : [];
}

/** Reasons that say that nothing is at the gateway. */
const saysNothingWasMade: ReadonlySet<string | undefined> = new Set([
  'VALIDATION',
  'FORBIDDEN',
  'CHECK_FAILED',
  'OBJECT_GONE',
  'CRASH_LOOP',
  'HORIZON_EXCEEDED',
  'DUPLICATE_CONTENT',
]);

function untrue({ row, made, repeats = 0 }: JudgedUpload): readonly string[] {
  if (row?.outcome === undefined) return [];
  const { kind, reason } = row.outcome;
  if (kind === 'applied') return made.includes(row.datasetId ?? '') ? [] : [otherDataset(row.datasetId, made)];
  const isSilent = kind === 'ignored' || saysNothingWasMade.has(reason);
  const isHidden = isSilent && repeats === 0 && made.length > 0;
  return isHidden ? [`it is ${kind} ${reason}, and ${made.join(', ')} was made`] : [];
}

function otherDataset(datasetId: string | undefined, made: readonly string[]): string {
  return `the ledger says dataset ${datasetId}, the gateway made ${made.join(', ') || 'none'}`;
}
