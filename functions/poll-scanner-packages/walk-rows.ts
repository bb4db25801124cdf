import {
  expiryOf,
  ledgerKeys,
  type PackageFingerprint,
  type WatchItem,
  type WatchWalkItem,
} from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
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
  for (const part of walk.parts.keys()) {
    const row = await deps.ledger.read<WatchWalkItem>(ledgerKeys.watchWalk(name, part));
    // Expired, or written over by another walk: what was seen is not known any more.
    if (row?.walk !== walk.id) return newWalk(deps.attemptId, filtersHash);
  }
  const { id, cursor, pages, parts } = walk;
  return { ...newWalk(id, filtersHash), pages, cursor, parts: [...parts] };
}

/**
 * Moves what a walk saw into rows, and keeps how far it has come: first the rows, then the head row that counts them.
 * @throws LeaseLostError when another poll of the watch wrote one of these rows
 */
export async function saveWalk(walk: Walk, head: WatchHead, deps: PollDeps): Promise<void> {
  const { id, filtersHash, cursor, pages } = walk;
  const { name, walk: saved } = head.item();
  const isSaved = saved?.id === id && saved.cursor === cursor;
  if (cursor === undefined || isSaved) return;
  for (const [group, packages] of walk.unsaved) {
    for (const part of inParts(packages)) {
      const pk = ledgerKeys.watchWalk(name, walk.parts.length);
      const before = await deps.ledger.read<WatchWalkItem>(pk);
      const expiresAt = expiryOf('watch-walk', deps.now());
      const row: WatchWalkItem = { pk, kind: 'watch-walk', walk: id, packages: part, expiresAt };
      if ((await deps.ledger.write(before, row)) === undefined) throw new LeaseLostError(pk);
      walk.parts.push(group);
    }
  }
  walk.unsaved.clear();
  walk.unsavedCount = 0;
  await head.write({ ...head.item(), walk: { id, filtersHash, cursor, pages, parts: [...walk.parts] } });
}

/** The next walk begins at the first page. */
export async function forgetWalk(head: WatchHead): Promise<void> {
  const { walk, ...rest } = head.item();
  if (walk !== undefined) await head.write(rest satisfies WatchItem);
}

/**
 * What a walk saw of the packages of one group of chunks.
 * @throws LeaseLostError when another poll of the watch wrote one of its rows
 */
export async function seenInGroup(
  walk: Pick<Walk, 'id' | 'parts' | 'unsaved'>,
  group: number,
  { ledger, watch }: { readonly ledger: Ledger; readonly watch: string },
): Promise<ReadonlyMap<string, PackageFingerprint>> {
  const keys = walk.parts.flatMap((of, part) => (of === group ? [ledgerKeys.watchWalk(watch, part)] : []));
  const rows = await Promise.all(keys.map(async (pk) => ledger.read<WatchWalkItem>(pk)));
  const seen = new Map<string, PackageFingerprint>();
  for (const [index, row] of rows.entries()) {
    if (row?.walk !== walk.id) throw new LeaseLostError(keys[index] ?? '');
    for (const [packageId, fingerprint] of Object.entries(row.packages)) seen.set(packageId, fingerprint);
  }
  for (const [packageId, fingerprint] of walk.unsaved.get(group) ?? []) seen.set(packageId, fingerprint);
  return seen;
}

function inParts(packages: ReadonlyMap<string, PackageFingerprint>): Record<string, PackageFingerprint>[] {
  const parts: [string, PackageFingerprint][][] = [];
  let bytes = maxPartBytes;
  for (const entry of packages) {
    const size = Buffer.byteLength(JSON.stringify(entry));
    if (bytes + size > maxPartBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(entry);
    bytes += size;
  }
  return parts.map((entries) => Object.fromEntries(entries));
}
