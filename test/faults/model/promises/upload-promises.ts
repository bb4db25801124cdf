import type { Played } from '../play.ts';
import { judgeUpload } from '../../judge/judge-upload.ts';
import { parkedMessagesOf, uploadsOf } from '../sent-work.ts';

/**
 * What must hold of every upload: I1 and I2, and that the ledger tells the truth about the gateway.
 * Each broken promise is one sentence.
 */
export function brokenUploadPromises(played: Played): readonly string[] {
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  return uploadsOf(played).flatMap((upload) => {
    const isGivenUp = givenUp.some((message) => message.includes(`"${upload.object.versionId}"`));
    return judgeUpload({ ...upload, isGivenUp }).map(
      (sentence) => `upload ${upload.object.key} ${upload.object.versionId}: ${sentence}`,
    );
  });
}
