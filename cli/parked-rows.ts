import { createHash } from 'node:crypto';
import type { ParkableItem, Resolution } from '../shared/ledger/items.ts';
import { ledgerKeys } from '../shared/ledger/items.ts';
import type { Ledger, Stored } from '../shared/ledger/ledger.ts';
import { isParkReason, parkReasons } from '../shared/vocabulary/reason-codes.ts';
import { UsageError } from './errors.ts';

/** A row that waits for a person, as `parked list` tells it. */
export interface ParkedEntry {
  /** Short handle for the command line. */
  readonly id: string;
  readonly kind: ParkableItem['kind'];
  /** A command's id, an object's key, a message's queue and id. */
  readonly subject: string;
  readonly reason: string;
  readonly detail?: string;
  readonly since: string;
  readonly nextStep?: string;
  /** What to look for at the gateway. */
  readonly lookFor?: string;
  readonly resolutions?: readonly Resolution[];
}

const shortest = 8;

/** The handle of a row: the beginning of its key's digest, the same in every list. */
export function handleOf(pk: string): string {
  return digestOf(pk).slice(0, shortest);
}

function digestOf(pk: string): string {
  return createHash('sha256').update(pk).digest('hex');
}

/** Every row that is parked now, oldest first. */
export async function listParked(ledger: Ledger): Promise<readonly Stored<ParkableItem>[]> {
  const rows: Stored<ParkableItem>[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.listOpen('PARKED', cursor === undefined ? {} : { cursor });
    rows.push(...page.items.filter((row) => isParkable(row)));
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

function isParkable(row: Stored): row is Stored<ParkableItem> {
  return ['command', 'upload', 'plan', 'message'].includes(row.kind);
}

/**
 * Finds rows by what a person typed: a handle or a part of its beginning, a command's id, a whole key. Reads each again, consistently: the
 * list may be a moment old, and a row that was resolved since must say so.
 * @throws UsageError for an id that names none, or several
 */
export async function findParked(ledger: Ledger, ids: readonly string[]): Promise<readonly Stored<ParkableItem>[]> {
  const listed = await listParked(ledger);
  const found: Stored<ParkableItem>[] = [];
  for (const id of ids) {
    const pk = onlyMatch(id, listed);
    const row = pk === undefined ? await readByName(ledger, id) : await ledger.read<ParkableItem>(pk);
    if (row === undefined || !isParkable(row)) {
      throw new UsageError(
        `nothing parked has the id "${id}" (it may be resolved already): autopilot parked list shows what there is`,
      );
    }
    if (!found.some((other) => other.pk === row.pk)) found.push(row);
  }
  return found;
}

function onlyMatch(id: string, rows: readonly Stored<ParkableItem>[]): string | undefined {
  const exact = rows.find((row) => row.pk === id || (row.kind === 'command' && row.id === id));
  if (exact !== undefined) return exact.pk;
  const typed = id.toLowerCase();
  const matching = rows.filter((row) => digestOf(row.pk).startsWith(typed));
  if (matching.length > 1) {
    const candidates = matching.map((row) => `${uniqueHandle(row.pk, matching)} (${subjectOf(row)})`).join(', ');
    throw new UsageError(`"${id}" begins the id of ${matching.length} parked rows: ${candidates}`);
  }
  return matching[0]?.pk;
}

/** As many characters as tell it from the others, at least those of every handle. */
function uniqueHandle(pk: string, rows: readonly Stored<ParkableItem>[]): string {
  const others = rows.filter((row) => row.pk !== pk).map((row) => digestOf(row.pk));
  const own = digestOf(pk);
  let length = shortest;
  while (length < own.length && others.some((other) => other.startsWith(own.slice(0, length)))) length += 1;
  return own.slice(0, length);
}

async function readByName(ledger: Ledger, id: string): Promise<Stored<ParkableItem> | undefined> {
  return (await ledger.read<ParkableItem>(ledgerKeys.command(id))) ?? ledger.read<ParkableItem>(id);
}

/** What a row is about, in a person's words. */
export function subjectOf(row: ParkableItem): string {
  switch (row.kind) {
    case 'command':
      return row.id;
    case 'upload':
    case 'plan':
      return row.key;
    case 'message':
      return row.pk.replace('message#', 'message ').replace('#', ' ');
  }
}

/** Tells rows as a list does; handles are as long as telling them apart needs. */
export function entriesOf(rows: readonly Stored<ParkableItem>[]): readonly ParkedEntry[] {
  return rows.map((row) => {
    const reason = row.outcome?.reason ?? 'UNKNOWN';
    const { detail } = row.outcome ?? {};
    return {
      id: uniqueHandle(row.pk, rows),
      kind: row.kind,
      subject: subjectOf(row),
      reason,
      ...(detail === undefined ? {} : { detail }),
      since: row.openSince ?? row.outcome?.at ?? '',
      ...(isParkReason(reason) ? { nextStep: parkReasons[reason].nextStep } : {}),
      ...(row.parked?.lookFor === undefined ? {} : { lookFor: row.parked.lookFor }),
      ...(row.resolutions === undefined ? {} : { resolutions: row.resolutions }),
    };
  });
}
