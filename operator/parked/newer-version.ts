import type { Stored } from '#shared/ledger/ledger.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import { causeOf } from '../failures.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { rowsOfKey } from './find-parked.ts';
import { entriesOf, type NewerVersion, type ParkedEntry } from './parked-rows.ts';

type Versions = Awaited<ReturnType<typeof rowsOfKey>>;
type Deps = Pick<OperatorDeps, 'stage' | 'progress'>;

/** Looks for a newer version of one row's key. A corrected file is uploaded under the same key. */
export async function newerVersion(row: Stored<ParkableRow>, deps: Deps): Promise<NewerVersion | undefined> {
  return (await newerAsFarAsKnown([row], deps)).get(row.pk);
}

/** A hint, and no reason to show nothing: a person who may read the ledger may not be allowed to list the bucket. */
async function newerAsFarAsKnown(rows: readonly Stored<ParkableRow>[], deps: Deps): Promise<NewerVersions> {
  const found: NewerVersions = new Map();
  try {
    await findNewer(rows, deps, found);
  } catch (error) {
    deps.progress(`whether newer versions of parked keys came is not known: ${causeOf(error)}`);
  }
  return found;
}

type NewerVersions = Map<string, NewerVersion>;

/** Costs a request that lists each key, and a read for each of its versions. */
async function findNewer(rows: readonly Stored<ParkableRow>[], deps: Deps, found: NewerVersions): Promise<void> {
  const ofObjects = rows.filter((row) => row.kind === 'upload');
  for (const [key, rowsOfOne] of Map.groupBy(ofObjects, (row) => row.key)) {
    const versions = await rowsOfKey(key, await deps.stage.ledger(), deps);
    for (const row of rowsOfOne) {
      const newer = newerThan(row, versions);
      if (newer !== undefined) found.set(row.pk, newer);
    }
  }
}

/** The newest version comes first: what stands before a row is newer. Pure. */
function newerThan(row: Stored<ParkableRow>, versions: Versions): NewerVersion | undefined {
  const place = versions.findIndex((version) => version.row.pk === row.pk);
  const newer = versions.slice(0, Math.max(0, place));
  const good = newer.find((version) => isAtGateway(version.row));
  const { row: other, at } = good ?? newer[0] ?? {};
  if (other === undefined || at === undefined) return undefined;
  const { outcome } = other;
  const datasetId = other.kind === 'upload' ? other.datasetId : undefined;
  const ended = [outcome?.kind ?? 'under way', outcome?.reason, datasetId]
    .filter((part) => part !== undefined)
    .join(' ');
  return { at: at.toISOString(), ended, takesItsPlace: good !== undefined && !mayHaveEffect(row) };
}

/** It did its work, or its dataset was made before of the same bytes. */
function isAtGateway(row: ParkableRow): boolean {
  const hasDataset = row.kind === 'upload' && row.datasetId !== undefined;
  return row.outcome?.kind === 'applied' || (row.outcome?.reason === 'DUPLICATE_CONTENT' && hasDataset);
}

/** What it sent may have made a dataset: that has to be settled, also after later events. */
function mayHaveEffect(row: ParkableRow): boolean {
  const reason = row.outcome?.reason;
  const isInDoubt = reason !== undefined && isParkReason(reason) && parkReasonFacts(reason).mayDouble === true;
  // A person had a request repeated of which it was not known what it did.
  const wasInDoubt = row.kind === 'upload' && row.sentAt !== undefined && row.resolutions !== undefined;
  return isInDoubt || wasInDoubt;
}

/** The rows whose work a newer version of their key has done. */
export async function supersededAmong(
  rows: readonly Stored<ParkableRow>[],
  deps: Deps,
): Promise<readonly Stored<ParkableRow>[]> {
  const newer: NewerVersions = new Map();
  await findNewer(rows, deps, newer);
  return rows.filter(({ pk }) => newer.get(pk)?.takesItsPlace === true);
}

/** Rows of a list that are looked at for a newer version of their key. */
const mostLookedAt = 25;

/** Rows as a list has them; beside the first of them stands a newer version of their key. */
export async function entriesWithNewer(
  rows: readonly Stored<ParkableRow>[],
  deps: Deps,
): Promise<readonly ParkedEntry[]> {
  const newer = await newerAsFarAsKnown(rows.slice(0, mostLookedAt), deps);
  return entriesOf(rows).map((entry, index) => ({ ...entry, newer: newer.get(rows[index]?.pk ?? '') }));
}
