import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { isParkReason, type ParkReason } from '#shared/vocabulary/reason-codes.ts';

/** 5,000 rows: of more, nobody needs the exact number. */
const mostPages = 50;

/** How many rows wait for a person, by reason; at most some thousands are counted. */
export async function countParked(ledger: Ledger, hasTime: () => boolean): Promise<ReadonlyMap<ParkReason, number>> {
  const counts = new Map<ParkReason, number>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && hasTime(); page += 1) {
    const parked = await ledger.listOpen('PARKED', cursor === undefined ? {} : { cursor });
    for (const row of parked.items) {
      const reason = reasonOf(row);
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    cursor = parked.next;
    if (cursor === undefined) break;
  }
  return counts;
}

function reasonOf(row: Stored): ParkReason | undefined {
  const reason = 'outcome' in row ? row.outcome?.reason : undefined;
  return reason !== undefined && isParkReason(reason) ? reason : undefined;
}
