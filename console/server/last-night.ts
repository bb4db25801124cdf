import { wallClockAt } from '#shared/schedule/time-zone.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { historyPage } from '#operator/history/history-entry.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { confirmState } from '#operator/evidence/run-course.ts';
import type { LastNight } from '../api.ts';
import { addDays, instantOfWall } from '../page/words/times.ts';

/** More starts than these are no night of a campaign. */
const mostStarts = 200;

/** Reads the night: a query of the history, and a row for each start that was sent. */
export async function readLastNight(timezone: string, deps: OperatorDeps): Promise<LastNight> {
  const now = await deps.now();
  const { from, until } = lastNightAt(now, timezone);
  const { entries } = await historyPage(
    { since: from, before: until, matches: ({ action, isObserved }) => action === 'start' && !isObserved },
    mostStarts,
    deps,
  );
  const ledger = await deps.stage.ledger();
  const sent = entries.filter(({ outcome }) => outcome === 'applied');
  const shown = await Promise.all(
    sent.map(async ({ campaignRunId = '' }) => ledger.read<ConfirmationRow>(ledgerKeys.confirmation(campaignRunId))),
  );
  const states = shown.map((row) => row && confirmState(row));
  const others = Map.groupBy(
    entries.filter(({ outcome }) => outcome !== 'applied'),
    ({ outcome, reason }) => [outcome, reason].filter(Boolean).join(' '),
  );
  return {
    starts: entries.length,
    sent: sent.length,
    confirmed: states.filter((state) => state === 'confirmed').length,
    missing: states.filter((state) => state === 'missing').length,
    others: [...others].map(([ended, { length: count }]) => ({ ended, count })),
  };
}

/** From noon of the day before to noon, or to now. Pure. */
export function lastNightAt(now: Date, timezone: string): { readonly from: Date; readonly until: Date } {
  const today = new Date(wallClockAt(now.getTime(), timezone)).toISOString().slice(0, 10);
  const noonOf = (date: string) => instantOfWall(`${date}T12:00`, timezone);
  return { from: new Date(noonOf(addDays(today, -1))), until: new Date(Math.min(noonOf(today), now.getTime())) };
}
