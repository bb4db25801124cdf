import {
  expiryOf,
  ledgerKeys,
  type PackageFingerprint,
  type WatchItem,
  type WatchWalkItem,
} from '../../shared/ledger/items.ts';
import { LeaseLostError } from '../_runtime/leased-row.ts';
import type { PollDeps } from './deps.ts';
import { newWalk, type Walk } from './walk.ts';
import type { WatchHead } from './watch-head.ts';

/** DynamoDB refuses rows above 400 KB; a page of a hundred packages is about 50 KB. */
const maxPartBytes = 200_000;

/** The walk that an earlier poll of this watch was cut off in; a new one where there is none that can be gone on with. */
export async function resumeWalk(head: WatchHead, filtersHash: string, deps: PollDeps): Promise<Walk> {
  const { name, walk } = head.item();
  if (walk?.filtersHash !== filtersHash) return newWalk(deps.attemptId, filtersHash);
  const seen = new Map<string, PackageFingerprint>();
  for (let part = 0; part < walk.parts; part += 1) {
    const row = await deps.ledger.read<WatchWalkItem>(ledgerKeys.watchWalk(name, part));
    // Expired, or written over by another walk: what was seen is not known any more.
    if (row?.walk !== walk.id) return newWalk(deps.attemptId, filtersHash);
    for (const [packageId, fingerprint] of Object.entries(row.packages)) seen.set(packageId, fingerprint);
  }
  const { id, cursor, pages, parts } = walk;
  return { id, filtersHash, seen, unsaved: new Map(), pages, cursor, parts };
}

/**
 * Keeps how far a walk has come: first what it saw since the last time, then the head row that counts it.
 * @throws LeaseLostError when another poll of the watch wrote one of these rows
 */
export async function saveWalk(walk: Walk, head: WatchHead, deps: PollDeps): Promise<void> {
  const { id, filtersHash, cursor, pages } = walk;
  const { name, walk: saved } = head.item();
  const isSaved = saved?.id === id && saved.cursor === cursor;
  if (cursor === undefined || isSaved) return;
  for (const packages of inParts(walk.unsaved)) {
    const pk = ledgerKeys.watchWalk(name, walk.parts);
    const before = await deps.ledger.read<WatchWalkItem>(pk);
    const row: WatchWalkItem = {
      pk,
      kind: 'watch-walk',
      walk: id,
      packages,
      expiresAt: expiryOf('watch-walk', deps.now()),
    };
    if ((await deps.ledger.write(before, row)) === undefined) throw new LeaseLostError(pk);
    walk.parts += 1;
  }
  walk.unsaved.clear();
  await head.write({ ...head.item(), walk: { id, filtersHash, cursor, pages, parts: walk.parts } });
}

/** The next walk begins at the first page. */
export async function forgetWalk(head: WatchHead): Promise<void> {
  const { walk, ...rest } = head.item();
  if (walk !== undefined) await head.write(rest satisfies WatchItem);
}

function inParts(packages: ReadonlyMap<string, PackageFingerprint>): Record<string, PackageFingerprint>[] {
  const parts: Record<string, PackageFingerprint>[] = [];
  let bytes = maxPartBytes;
  for (const [packageId, fingerprint] of packages) {
    const size = Buffer.byteLength(JSON.stringify([packageId, fingerprint]));
    if (bytes + size > maxPartBytes) {
      parts.push({});
      bytes = 0;
    }
    Object.assign(parts.at(-1) ?? {}, { [packageId]: fingerprint });
    bytes += size;
  }
  return parts;
}
