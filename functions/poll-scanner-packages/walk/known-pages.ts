import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { VouchingPages, WatchRow, WatchPagesRow } from '#shared/ledger/rows/watch-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { LeaseLostError } from '../../_watch/leased-row.ts';
import type { PollDeps } from '../deps.ts';
import { fingerprintForm } from './listed-package.ts';
import type { Walk } from './walk.ts';
import type { WatchHead } from '../watch-head.ts';

/** The pages of the last look. A page that is as it was there, in its place, holds packages that the ledger knows as they are. */
export interface KnownPages extends VouchingPages {
  readonly digests: readonly string[];
}

type Ports = Pick<PollDeps, 'ledger' | 'now'>;

/**
 * Each page is compared once a day at least, whatever vouches for it: nothing that ever went wrong with what is known stays for longer.
 */
const vouchesForMs = 86_400_000;

/** The pages that a new walk is held against; `undefined` where every page has to be compared. */
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

/** Takes the pages out of the head row: from now on, whatever is written and wherever this poll ends, they vouch for nothing. */
export async function forgetPages(head: WatchHead): Promise<void> {
  const { pages, ...rest } = head.current();
  if (pages !== undefined) await head.write(rest satisfies WatchRow);
}

/**
 * Writes the pages of a walk whose every difference is in the ledger, so that the next walk can be held against them. None is left where a package
 * is missing: the next walk has to count that it is missing still. Nor where one was listed twice: which page it was read on last another walk
 * could not tell from pages alone.
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

/** The digests of a row in this version; `undefined` where it has another by now, or is of another form. */
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
