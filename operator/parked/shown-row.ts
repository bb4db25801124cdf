import type { ParkableRow } from '#shared/ledger/rows/message-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import { causeOf } from '../errors.ts';
import { rowsOfKey } from './find-parked.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { type Advice, adviceFor } from './parked-advice.ts';
import { entryOf, type ParkedEntry } from './parked-rows.ts';

/** One row as `show` tells it. */
export interface ShownRow extends ParkedEntry {
  readonly isParked: boolean;
  /** Commands to paste; none if no person is needed any more. */
  readonly advice: readonly Advice[];
  /** A later version of the same key. */
  readonly newer?: NewerVersion;
  readonly row: Stored<ParkableRow>;
}

/** Gathers what is known about a row. */
export async function shownRow(
  row: Stored<ParkableRow>,
  { handle, stage }: { readonly handle: string; readonly stage: readonly string[] },
  deps: Pick<OperatorDeps, 'stage' | 'progress'>,
): Promise<ShownRow> {
  const isParked = row.openState === 'PARKED';
  const newer = await newerVersion(row, deps);
  return {
    ...entryOf(row, handle),
    isParked,
    advice: isParked ? adviceFor(row, { handle, stage, isReplaced: newer?.takesItsPlace === true }) : [],
    newer,
    row,
  };
}

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
  deps: Pick<OperatorDeps, 'stage' | 'progress'>,
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

/** A hint, and no reason to show nothing: a person who may read the ledger may not be allowed to list the bucket. */
async function versionsSeen(key: string, deps: Pick<OperatorDeps, 'stage' | 'progress'>) {
  try {
    return await rowsOfKey(key, await deps.stage.ledger(), deps);
  } catch (error) {
    deps.progress(`whether a newer version of ${key} came is not known: ${causeOf(error)}`);
    return [];
  }
}

/** What it sent may have made a dataset: that has to be settled, whatever came later. */
function mayHaveEffect({ outcome }: ParkableRow): boolean {
  const reason = outcome?.reason;
  return reason !== undefined && isParkReason(reason) && parkReasonFacts(reason).mayDouble === true;
}
