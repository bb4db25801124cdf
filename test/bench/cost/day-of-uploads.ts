import type { ScaleFigures } from '../scale/scenario.ts';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import type { BatchCounts } from './count-batch.ts';
import type { UploadCounts } from './count-upload.ts';
import { memoryGb } from './million-uploads.ts';
import type { Usage } from './usage.ts';

const million = 1_000_000;

/** What the log was counted with: batches of one, and full ones. */
export interface BatchesCounted {
  readonly alone: BatchCounts;
  readonly full: BatchCounts;
}

/**
 * What a million uploads take that come over a day, by ones and twos. The day A of
 * docs/reference/limits.md as it was measured, with the log of batches of its size. Its rule checks
 * no content; a HEAD takes the place of the GET, at the same price.
 */
export function dayOfUploads(one: UploadCounts, { alone, full }: BatchesCounted, day: ScaleFigures): Usage {
  const logOfMessage = (full.logBytes - alone.logBytes) / (uploadsBatchSize - 1);
  const logOfBatch = alone.logBytes - logOfMessage;
  const perMillion = million / day.messages;
  return {
    sqsRequest: million + 2 * day.invocations * perMillion,
    ledgerWrite: day.ledgerWriteUnits * perMillion,
    ledgerRead: day.ledgerReadUnits * perMillion,
    objectRead: million * one.objectReads,
    lambdaRequest: day.invocations * perMillion,
    lambdaGbSecond: day.lambdaSeconds * perMillion * memoryGb,
    logGb: (million * logOfMessage + day.invocations * perMillion * logOfBatch) / 1e9,
  };
}
