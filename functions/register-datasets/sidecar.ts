import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '#shared/aws/object-store.ts';
import { listedDetail } from '#shared/ledger/rows/detail.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { maxSidecarBytes, parseSidecar, type SidecarFields, sidecarKeyOf } from '#shared/uploads/object-key.ts';

/**
 * What an upload's sidecar says; or that the upload waits for it, or cannot be registered without.
 */
export type Sidecar =
  | { readonly kind: 'fields'; readonly fields: SidecarFields }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: string }
  | { readonly kind: 'park'; readonly reason: 'SIDECAR_MISSING' | 'BAD_SIDECAR'; readonly detail: string };

/** An upload that waits for its sidecar. */
interface Waiting {
  readonly bucket: string;
  /** Of the upload. */
  readonly key: string;
  /** When it was first seen, RFC 3339. */
  readonly since: string;
  readonly now: Date;
}

const shortestWaitMs = 5_000;
const longestWaitMs = 5 * 60_000;

/**
 * Reads the sidecar that is beside an upload now. If there is none yet, the upload comes back by
 * itself, sooner at first; no person has to tell it that the sidecar came.
 */
export async function readSidecar(
  objects: ObjectStore,
  upload: Waiting,
  rule: { readonly within: string },
): Promise<Sidecar> {
  const { bucket, key } = upload;
  const sidecarKey = sidecarKeyOf(key);
  using opened = await objects.open({ bucket, key: sidecarKey });
  if (opened === undefined) return notThere(upload, rule);
  if (opened.sizeBytes > maxSidecarBytes) {
    const detail = `${sidecarKey} has ${opened.sizeBytes} bytes, a sidecar has at most ${maxSidecarBytes}`;
    return { kind: 'park', reason: 'BAD_SIDECAR', detail };
  }
  const parsed = parseSidecar(await buffer(opened.pieces));
  if (parsed.ok) return { kind: 'fields', fields: parsed.fields };
  return { kind: 'park', reason: 'BAD_SIDECAR', detail: `${sidecarKey}: ${listedDetail(parsed.problems, 'problems')}` };
}

function notThere({ key, since, now }: Waiting, { within }: { readonly within: string }): Sidecar {
  const waitedMs = now.getTime() - Date.parse(since);
  const leftMs = (durationMs(within) ?? 0) - waitedMs;
  const sidecarKey = sidecarKeyOf(key);
  if (leftMs <= 0) {
    return { kind: 'park', reason: 'SIDECAR_MISSING', detail: `${sidecarKey} was waited for since ${since}` };
  }
  const delayMs = Math.min(leftMs, longestWaitMs, Math.max(shortestWaitMs, Math.round(waitedMs / 4)));
  return { kind: 'wait', delayMs, why: `waits for ${sidecarKey}` };
}
