import { createHash, type Hash } from 'node:crypto';
import type { OpenedObject } from '#shared/aws/object-store.ts';
import type { CheckedFile } from '#shared/ledger/rows/upload-row.ts';
import { checkPromptLabelCsv, maxPromptLabelBytes } from './prompt-label-csv.ts';

/** A file that passed the check `prompt-label-csv`, with the digest of its bytes; or why it is parked. */
export type CheckedContent =
  | { readonly kind: 'checked'; readonly digest: string; readonly checked: CheckedFile }
  | { readonly kind: 'park'; readonly reason: 'OBJECT_TOO_LARGE' | 'CHECK_FAILED'; readonly detail: string };

/** Reads a version once: its bytes go through the check and the digest piece by piece; not one of them where it is too large. */
export async function checkedContent({
  sizeBytes,
  pieces,
}: Pick<OpenedObject, 'sizeBytes' | 'pieces'>): Promise<CheckedContent> {
  if (sizeBytes > maxPromptLabelBytes) {
    const detail = `the object has ${sizeBytes} bytes, the check prompt-label-csv takes ${maxPromptLabelBytes}`;
    return { kind: 'park', reason: 'OBJECT_TOO_LARGE', detail };
  }
  const hash = createHash('sha256');
  const check = await checkPromptLabelCsv(hashed(pieces, hash));
  if (check.ok) return { kind: 'checked', digest: hash.digest('hex'), checked: check.checked };
  const more = check.more === 0 ? '' : `; and ${check.more} more`;
  return { kind: 'park', reason: 'CHECK_FAILED', detail: `prompt-label-csv: ${check.problems.join('; ')}${more}` };
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}
