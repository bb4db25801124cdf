import type { PendingWork } from '../outcomes/pending-work.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import type { GateStatus } from '../status/stage-status.ts';
import { objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import { listUploads } from './list-uploads.ts';

/** A person looks at no more of them at once; the depth of the queue says how many there are. */
const mostShown = 20;

/** Uploads that came shortly before the gate closed may have waited for it too. */
const beforeMs = 15 * 60_000;

/**
 * Uploads that wait for the gate. Their worker has not begun, so they have no row, and a row for each would be a write for every upload. The
 * bucket knows what was put: it is asked only while the gate is not open and messages wait. Empty if the bucket may not be listed.
 * @param waiting - messages in the uploads queue
 */
export async function uploadsAtGate(
  gate: GateStatus,
  waiting: number,
  deps: Pick<OperatorDeps, 'stage'>,
): Promise<readonly PendingWork[]> {
  if (gate.state === 'open' || waiting === 0) return [];
  const from = new Date(Date.parse(gate.since) - beforeMs).toISOString();
  // The status is told all the same: the depth of the queue is in it.
  const page = await listUploads({ prefix: objectPrefixes.datasets, limit: mostShown }, deps).catch(() => undefined);
  return (page?.uploads ?? []).flatMap(({ key, versionId, state, uploadedAt = '' }) => {
    if (state !== 'not seen yet' || uploadedAt < from) return [];
    const waitsFor = `the gateway gate is ${gate.state}: ${gate.reason}`;
    return [{ id: key, versionId, since: uploadedAt, tries: 0, waitsFor, nextTryAt: gate.until }];
  });
}
