import type { GuardItem, Reservation } from '../ledger/items.ts';

/** The runs of a guard item that count as in flight at an instant, the newest first. Pure. */
export function reservationsAt(guard: GuardItem | undefined, instant: Date): readonly Reservation[] {
  const newest = guard?.inFlight === undefined ? [] : [guard.inFlight];
  return [...newest, ...(guard?.beside ?? [])].filter(({ until }) => Date.parse(until) > instant.getTime());
}
