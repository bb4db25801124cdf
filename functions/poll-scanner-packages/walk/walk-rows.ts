import type { Ledger } from '#shared/ledger/ledger.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type {
  CutWalk,
  SeenPackage,
  VouchingPages,
  WatchPagesRow,
  WatchRow,
  WatchWalkRow,
} from '#shared/ledger/rows/watch-row.ts';
import { LeaseLostError } from '../../_watch/leased-row.ts';
import type { PollDeps, WatchHead } from '../poll-state.ts';
import { fingerprintForm, groupAsBefore, newWalk, type Walk } from './walk.ts';

/** DynamoDB refuses rows above 400 KB; a page of a hundred packages is about 50 KB. */
const maxPartBytes = 200_000;

/**
 * An outage takes at most this long before a walk loses what it has. The same failure may be the
 * gateway's way to refuse a cursor.
 */
const longestStuckMs = 3_600_000;

/**
 * The walk in which an earlier poll of this watch was cut off; a new one if none can be continued.
 */
export async function resumeWalk(head: WatchHead, filtersHash: string, deps: PollDeps): Promise<Walk> {
  const { walk } = head.current();
  const resumed = walk?.filtersHash === filtersHash ? await readWalk(walk, head, deps) : undefined;
  return resumed ?? newWalk(deps.attemptId, filtersHash, await knownPages(head, filtersHash, deps));
}

/** A saved walk; `undefined` where what it saw is not known any more. */
async function readWalk(saved: CutWalk, head: WatchHead, { ledger }: PollDeps): Promise<Walk | undefined> {
  const { name } = head.current();
  const { id, filtersHash, cursor, pages, parts, against, own } = saved;
  if (!(await hasItsRows(saved, name, ledger))) return undefined;
  const known = against === undefined ? undefined : await pagesOfLastLook(head, filtersHash, { ledger });
  // What it saw as known was known by a look that is no longer the last.
  if (known?.version !== against) return undefined;
  const digests = own && (await readPages(ledger, ledgerKeys.watchWalkPages(name), own.version));
  return {
    ...newWalk(id, filtersHash, known),
    ...(digests === undefined ? { digests: undefined } : { digests: [...digests] }),
    isAsBefore: digests?.every((digest, page) => known?.digests[page] === digest) ?? false,
    listed: own?.listed ?? 0,
    pages,
    cursor,
    parts: [...parts],
  };
}

/**
 * Whether each row of a saved walk is still there: it may have expired, or another walk may have
 * written over it.
 */
async function hasItsRows({ id, parts }: CutWalk, name: string, ledger: Ledger): Promise<boolean> {
  for (const part of parts.keys()) {
    const row = await ledger.read<WatchWalkRow>(ledgerKeys.watchWalk(name, part));
    if (row?.walk !== id) return false;
  }
  return true;
}

/**
 * Moves what a walk saw into rows, and keeps how far it has come: first the rows, then the head row
 * that counts them.
 * @throws LeaseLostError when another poll of the watch wrote one of these rows
 */
export async function saveWalk(walk: Walk, head: WatchHead, deps: PollDeps): Promise<void> {
  const { id, filtersHash, cursor, pages } = walk;
  const { name, walk: saved } = head.current();
  const isSaved = saved?.id === id && saved.cursor === cursor;
  if (cursor === undefined || isSaved) return;
  groupAsBefore(walk);
  for (const [group, packages] of walk.unsaved) {
    for (const part of inParts(packages)) {
      const pk = ledgerKeys.watchWalk(name, walk.parts.length);
      const before = await deps.ledger.read<WatchWalkRow>(pk);
      // As in compare-walk.ts: a version that was just read says nothing of a poll that came
      // before.
      await head.renewLease();
      const expiresAt = expiryOf('watch-walk', deps.now());
      const row: WatchWalkRow = { pk, kind: 'watch-walk', walk: id, packages: part, expiresAt };
      if ((await deps.ledger.write(before, row)) === undefined) throw new LeaseLostError(pk);
      walk.parts.push(group);
    }
  }
  walk.unsaved.clear();
  walk.unsavedCount = 0;
  const { known, digests, listed } = walk;
  const own = digests && {
    version: await writePages(deps.ledger, { pk: ledgerKeys.watchWalkPages(name), digests: [...digests] }),
    listed,
  };
  const cutWalk: CutWalk = {
    id,
    filtersHash,
    cursor,
    pages,
    savedAt: deps.now().toISOString(),
    parts: [...walk.parts],
    against: known?.version,
    own,
  };
  await head.write({ ...head.current(), walk: cutWalk });
}

/**
 * Whether nothing has come of the page that a walk waits for since it was saved, longer ago than
 * this.
 */
export function isStuck({ id, cursor }: Pick<Walk, 'id' | 'cursor'>, head: WatchHead, now: Date): boolean {
  const { walk: saved } = head.current();
  if (saved?.id !== id || saved.cursor !== cursor) return false;
  return saved.savedAt === undefined || now.getTime() - Date.parse(saved.savedAt) > longestStuckMs;
}

/** The next walk begins at the first page. */
export async function forgetWalk(head: WatchHead): Promise<void> {
  const { walk, ...rest } = head.current();
  if (walk !== undefined) await head.write(rest satisfies WatchRow);
}

/**
 * What a walk saw of the packages of one group of chunks.
 * @throws LeaseLostError when another poll of the watch wrote one of its rows
 */
export async function seenInGroup(
  walk: Pick<Walk, 'id' | 'parts' | 'unsaved'>,
  group: number,
  { ledger, watch }: { readonly ledger: Ledger; readonly watch: string },
): Promise<ReadonlyMap<string, SeenPackage>> {
  const seen = new Map<string, SeenPackage>();
  for (const [part, of] of walk.parts.entries()) {
    if (of !== group) continue;
    const pk = ledgerKeys.watchWalk(watch, part);
    const row = await ledger.read<WatchWalkRow>(pk);
    if (row?.walk !== walk.id) throw new LeaseLostError(pk);
    for (const [packageId, inPart] of Object.entries(row.packages)) seen.set(packageId, inPart);
  }
  for (const [packageId, inMemory] of walk.unsaved.get(group) ?? []) seen.set(packageId, inMemory);
  return seen;
}

function inParts(packages: ReadonlyMap<string, SeenPackage>): Record<string, SeenPackage>[] {
  const parts: [string, SeenPackage][][] = [];
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

/**
 * The pages of the last look. A page that is as it was there, in its place, holds packages that the
 * ledger knows as they are.
 */
export interface KnownPages extends VouchingPages {
  readonly digests: readonly string[];
}

type Ports = Pick<PollDeps, 'ledger' | 'now'>;

/**
 * Each page is compared at least once a day, even if a digest vouches for it: no wrong record stays
 * for longer.
 */
const vouchesForMs = 86_400_000;

/** The pages that a new walk is compared with; `undefined` if every page has to be compared. */
export async function knownPages(
  head: WatchHead,
  filtersHash: string,
  { ledger, now }: Ports,
): Promise<KnownPages | undefined> {
  const { pages } = head.current();
  const ageMs = now().getTime() - Date.parse(pages?.since ?? '');
  // An age below zero is a clock that was set; one that is no number is no age.
  return ageMs >= 0 && ageMs < vouchesForMs ? pagesOfLastLook(head, filtersHash, { ledger }) : undefined;
}

/** The same, however old they are: for a walk that was held against them already. */
export async function pagesOfLastLook(
  head: WatchHead,
  filtersHash: string,
  { ledger }: Pick<Ports, 'ledger'>,
): Promise<KnownPages | undefined> {
  const { name, pages, walkedAt, filtersHash: ofLook } = head.current();
  if (pages === undefined || pages.walkedAt !== walkedAt || ofLook !== filtersHash) return undefined;
  const digests = await readPages(ledger, ledgerKeys.watchPages(name), pages.version);
  return digests === undefined ? undefined : { ...pages, digests };
}

/**
 * Takes the pages out of the head row. From now on they vouch for nothing, wherever this poll ends.
 */
export async function forgetPages(head: WatchHead): Promise<void> {
  const { pages, ...rest } = head.current();
  if (pages !== undefined) await head.write(rest satisfies WatchRow);
}

/**
 * Writes the pages of a walk whose every difference is in the ledger, so that the next walk can be
 * held against them. None is kept if a package is missing: the next walk has to count that it is
 * missing still. None is kept either if a package was listed twice: pages alone could not tell
 * another walk on which one it was read last.
 * @returns what the head row is to say of them, in the write that ends the look
 */
export async function vouchForPages(
  { known, digests, listed }: Pick<Walk, 'known' | 'digests' | 'listed'>,
  { seen, gone }: { readonly seen: number; readonly gone: number },
  head: WatchHead,
  { ledger, now }: Ports,
): Promise<Pick<WatchRow, 'pages'>> {
  if (digests === undefined || gone > 0 || listed !== seen) return {};
  const version = await writePages(ledger, { pk: ledgerKeys.watchPages(head.current().name), digests });
  return { pages: { version, since: known?.since ?? now().toISOString() } };
}

/**
 * The digests of a row in this version; `undefined` if it has another by now, or is of another
 * form.
 */
export async function readPages(ledger: Ledger, pk: string, version: number): Promise<readonly string[] | undefined> {
  const row = await ledger.read<WatchPagesRow>(pk);
  return row?.version === version && row.form === fingerprintForm ? row.digests : undefined;
}

/**
 * Writes the digests of pages.
 * @returns the version of their row, by which the head row names it
 * @throws LeaseLostError when another poll of the watch wrote it
 */
export async function writePages(ledger: Ledger, row: Pick<WatchPagesRow, 'pk' | 'digests'>): Promise<number> {
  const before = await ledger.read<WatchPagesRow>(row.pk);
  const written = await ledger.write<WatchPagesRow>(before, { ...row, kind: 'watch-pages', form: fingerprintForm });
  if (written === undefined) throw new LeaseLostError(row.pk);
  return written.version;
}
