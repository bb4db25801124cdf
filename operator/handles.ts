/** Short handles of parked rows: the beginning of the digest of a row's key, the same in every list. */
import { createHash } from 'node:crypto';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { HandleRow } from '#shared/ledger/rows/message-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

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
