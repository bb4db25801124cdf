import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind, openRows } from '#shared/ledger/open-rows.ts';
import { isOnAt, type PastSwitchRow, type SwitchRow } from '#shared/ledger/switches.ts';
import type { HistoryRange } from '../history/history.ts';

/** A freeze or a pause, from its beginning to its end: a band of a calendar. */
export interface SwitchBand extends Pick<
  PastSwitchRow,
  'scope' | 'name' | 'by' | 'reason' | 'from' | 'until' | 'lifted'
> {
  /** Absent while it lasts. */
  readonly to?: string;
}

/**
 * Reads every freeze and pause that held starts back in a range, the newest beginning first. One that ended by itself has no row of its own until
 * its switch is used again: the row of the switch still tells it.
 */
export async function readSwitchBands(
  ledger: Pick<Ledger, 'listOpen'>,
  { since, before }: Pick<HistoryRange, 'since' | 'before'>,
  now: Date,
): Promise<readonly SwitchBand[]> {
  const bands = (await listOpenOfKind(ledger, 'SWITCHED', 'switch')).map((row) => bandOf(row, now));
  for await (const row of openRows(ledger, 'SWITCHED_BEFORE', { since: since?.toISOString() })) {
    if (row.kind === 'past-switch') bands.push(pastBand(row));
  }
  // The index is a moment old: a switch that was just lifted may stand in both states.
  const known = new Map(bands.map((band) => [JSON.stringify([band.scope, band.name, band.from]), band]));
  return [...known.values()]
    .filter(({ from, to }) => isWithin(from, before, -1) && (to === undefined || isWithin(to, since, 1)))
    .toSorted((a, b) => b.from.localeCompare(a.from));
}

/** Whether an instant lies on that side of a bound, if there is one. */
function isWithin(instant: string, bound: Date | undefined, side: 1 | -1): boolean {
  return bound === undefined || (Date.parse(instant) - bound.getTime()) * side > 0;
}

function bandOf(row: SwitchRow, now: Date): SwitchBand {
  const { scope, name, by, reason, at, until } = row;
  return { scope, name, by, reason, from: at, to: isOnAt(row, now) ? undefined : until, until };
}

function pastBand({ scope, name, by, reason, from, to, until, lifted }: PastSwitchRow): SwitchBand {
  return { scope, name, by, reason, from, to, until, lifted };
}
