import type { Played } from '../play.ts';
import { parkedMessagesOf, type UploadAsSent, uploadsOf } from '../sent-work.ts';

/**
 * What must hold of every upload: I1 and I2, and that the ledger tells the truth about the gateway.
 * Each broken promise is one sentence.
 */
export function brokenUploadPromises(played: Played): readonly string[] {
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  return uploadsOf(played).flatMap((upload) => {
    const isGivenUp = givenUp.some((message) => message.includes(`"${upload.object.versionId}"`));
    return [...lost(upload, isGivenUp), ...doubled(upload), ...untrue(upload, isGivenUp)].map(
      (sentence) => `upload ${upload.object.key} ${upload.object.versionId}: ${sentence}`,
    );
  });
}

function lost({ row }: UploadAsSent, isGivenUp: boolean): readonly string[] {
  if (isGivenUp) return [];
  if (row === undefined) return ['I1: no row in the ledger'];
  return row.outcome === undefined ? [`I1: it ended as ${row.state}, without an outcome`] : [];
}

function doubled({ made, repeats }: UploadAsSent): readonly string[] {
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

function untrue({ row, made, repeats }: UploadAsSent, isGivenUp: boolean): readonly string[] {
  const outcome = row?.outcome;
  if (row === undefined || outcome === undefined || isGivenUp) return [];
  const { kind, reason } = outcome;
  if (kind === 'applied') return made.includes(row.datasetId ?? '') ? [] : [otherDataset(row.datasetId, made)];
  const isSilent = kind === 'ignored' || saysNothingWasMade.has(reason);
  const isHidden = isSilent && repeats === 0 && made.length > 0;
  return isHidden ? [`it is ${kind} ${reason}, and ${made.join(', ')} was made`] : [];
}

function otherDataset(datasetId: string | undefined, made: readonly string[]): string {
  return `the ledger says dataset ${datasetId}, the gateway made ${made.join(', ') || 'none'}`;
}
