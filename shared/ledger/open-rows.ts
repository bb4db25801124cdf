import { createHash } from 'node:crypto';
import type { Ledger, OpenRange, Stored } from './ledger.ts';
import type { LedgerRow, RowOfKind } from './rows/ledger-row.ts';
import type { OpenState } from './rows/row-base.ts';
import type { HandleRow } from './rows/message-row.ts';
import { expiryOf, ledgerKeys } from './rows/row-keys.ts';
import type { InFlight, TargetRow } from './rows/target-row.ts';

/** Every row of one state, page by page: no page is read before its first row is asked for. */
export async function* openRows(
  ledger: Pick<Ledger, 'listOpen'>,
  state: OpenState,
  range: OpenRange = {},
): AsyncGenerator<Stored, void, undefined> {
  let { cursor } = range;
  do {
    const page = await ledger.listOpen(state, { ...range, cursor });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * All rows of one kind in one state, oldest first: for states of which there are a few hundred at most.
 */
export async function listOpenOfKind<Kind extends LedgerRow['kind']>(
  ledger: Pick<Ledger, 'listOpen'>,
  state: OpenState,
  kind: Kind,
): Promise<readonly Stored<RowOfKind<Kind>>[]> {
  const rows: Stored<RowOfKind<Kind>>[] = [];
  for await (const row of openRows(ledger, state)) if (isOfKind(row, kind)) rows.push(row);
  return rows;
}

function isOfKind<Kind extends LedgerRow['kind']>(row: Stored, kind: Kind): row is Stored<RowOfKind<Kind>> {
  return row.kind === kind;
}

/** A run in flight, and the row of its target. */
export interface RunInFlight {
  readonly row: Stored<TargetRow>;
  readonly entry: InFlight;
}

/** Every target with a run in flight, the oldest first. */
export async function readTargetsInFlight(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Stored<TargetRow>[]> {
  return listOpenOfKind(ledger, 'RUN_IN_FLIGHT', 'target');
}

/** Reads the runs in flight: what `status` lists and what `stop --all-in-flight` stops. */
export async function readRunsInFlight(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly RunInFlight[]> {
  return (await readTargetsInFlight(ledger)).flatMap((row) => row.runs.map((entry) => ({ row, entry })));
}

/** Short handles of parked rows: the beginning of the digest of a row's key, the same in every list. */
const shortest = 8;

/** The handle of a row. */
export function handleOf(pk: string): string {
  return digestOf(pk).slice(0, shortest);
}

/** Whether a text is a row's handle, or the beginning or more of it. */
export function isHandleOf(text: string, pk: string): boolean {
  return text !== '' && digestOf(pk).startsWith(text.toLowerCase());
}

/** As many characters as tell a row from the others, at least those of every handle. */
export function uniqueHandle(pk: string, pks: readonly string[]): string {
  const handle = handleOf(pk);
  const others = pks
    .filter((other) => other !== pk && digestOf(other).startsWith(handle))
    .map((other) => digestOf(other));
  const own = digestOf(pk);
  let length = shortest;
  while (length < own.length && others.some((other) => other.startsWith(own.slice(0, length)))) length += 1;
  return own.slice(0, length);
}

/** Notes which row a handle stands for. A resolved row leaves the index, and a digest cannot be turned round. */
export async function rememberHandle(ledger: Ledger, pk: string, now: Date): Promise<void> {
  const key = ledgerKeys.handle(handleOf(pk));
  const before = await ledger.read<HandleRow>(key);
  const rows = before?.rows ?? [];
  if (rows.includes(pk)) return;
  // Lost only where two rows with one handle are resolved in one moment: then the other one is found by its key alone.
  await ledger.write<HandleRow>(before, {
    pk: key,
    kind: 'handle',
    rows: [...rows, pk],
    expiresAt: expiryOf('handle', now),
  });
}

/** Keys of the resolved rows that a handle stands for; all of its digits must be there. */
export async function rowsOfHandle(ledger: Ledger, text: string): Promise<readonly string[]> {
  if (text.length < shortest || !/^[0-9a-f]+$/i.test(text)) return [];
  const item = await ledger.read<HandleRow>(ledgerKeys.handle(text.slice(0, shortest).toLowerCase()));
  return (item?.rows ?? []).filter((pk) => isHandleOf(text, pk));
}

function digestOf(pk: string): string {
  return createHash('sha256').update(pk).digest('hex');
}

/** What cannot be done within a day needs a person: the promise of one outcome for everything has an end. */
const horizonMs = 24 * 60 * 60_000;

/** Whether a message has been tried for as long as anything is tried, counted from when it entered its queue or its row was opened. */
export function isPastHorizon(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > horizonMs;
}
