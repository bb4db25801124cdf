import { ledgerKeys, type RecentItem, type RecentOutcome } from './items.ts';
import type { Ledger } from './ledger.ts';

/** Every batch rewrites the list, and DynamoDB bills each begun KB of it: twelve everyday outcomes stay below three. */
const maxEntries = 12;
const maxDetailLength = 100;

/** Puts outcomes on top of the list that `autopilot status` shows. One try: losing a race loses a line there and nothing else. */
export async function rememberRecentOutcomes(ledger: Ledger, outcomes: readonly RecentOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const before = await ledger.read<RecentItem>(ledgerKeys.recent());
  const newest = outcomes.toReversed().map((outcome) => ({ ...outcome, ...shortDetail(outcome) }));
  const entries = [...newest, ...(before?.entries ?? [])].slice(0, maxEntries);
  await ledger.write<RecentItem>(before, { pk: ledgerKeys.recent(), kind: 'recent', entries });
}

/** The last outcomes, newest first. */
export async function readRecentOutcomes(ledger: Ledger): Promise<readonly RecentOutcome[]> {
  return (await ledger.read<RecentItem>(ledgerKeys.recent()))?.entries ?? [];
}

function shortDetail(outcome: RecentOutcome): Pick<RecentOutcome, 'detail'> {
  return outcome.detail === undefined ? {} : { detail: outcome.detail.slice(0, maxDetailLength) };
}
