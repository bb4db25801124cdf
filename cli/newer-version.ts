import { toError } from '#shared/errors/app-error.ts';
import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import type { CommandDeps } from './deps.ts';
import { rowsOfKey } from './find-parked.ts';

/** The newest version of a key, which is not the row's own. */
export interface NewerVersion {
  readonly at: string;
  /** What became of it: `applied 0197f3a0-…`. */
  readonly ended: string;
  /** It did what the older one should have done, and the older one did nothing: that may be dismissed. */
  readonly takesItsPlace: boolean;
}

/** A corrected file is uploaded under the same key: then the row of the older version only waits to be dismissed. */
export async function newerVersion(
  row: Stored<ParkableRow>,
  deps: Pick<CommandDeps, 'stage' | 'progress'>,
): Promise<NewerVersion | undefined> {
  if (row.kind !== 'upload' && row.kind !== 'plan') return undefined;
  const versions = await versionsSeen(row.key, deps);
  const [newest] = versions;
  // The newest version comes first: where ours is behind it, it is newer.
  if (newest === undefined || versions.findIndex((version) => version.row.pk === row.pk) < 1) return undefined;
  const { outcome } = newest.row;
  const datasetId = newest.row.kind === 'upload' ? newest.row.datasetId : undefined;
  const ended = [outcome?.kind ?? 'under way', outcome?.reason, datasetId]
    .filter((part) => part !== undefined)
    .join(' ');
  return { at: newest.at.toISOString(), ended, takesItsPlace: outcome?.kind === 'applied' && !mayHaveEffect(row) };
}

/** A hint, and no reason to show nothing: whoever may read the ledger may not be allowed to list the bucket. */
async function versionsSeen(key: string, deps: Pick<CommandDeps, 'stage' | 'progress'>) {
  try {
    return await rowsOfKey(key, await deps.stage.ledger(), deps);
  } catch (error) {
    deps.progress(`whether a newer version of ${key} came cannot be told: ${toError(error).message}`);
    return [];
  }
}

/** What it sent may have made a dataset: that has to be settled, whatever came later. */
function mayHaveEffect({ outcome }: ParkableRow): boolean {
  const reason = outcome?.reason;
  return reason !== undefined && isParkReason(reason) && parkReasonFacts(reason).mayDouble === true;
}
