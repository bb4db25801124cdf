import { ledgerKeys } from './rows/row-keys.ts';
import type { Ledger } from './ledger.ts';
import type { RecentLine, RecentRow } from './rows/stage-rows.ts';
import type { RecordedOutcome } from './rows/row-base.ts';

/** As many as `autopilot status` prints. */
const maxEntries = 10;

/** Every batch rewrites the list, and DynamoDB bills each begun KB of a write: this leaves room for the row's other attributes. */
const maxBytes = 900;

const maxSubjectLength = 80;
const maxDetailLength = 100;

/** Puts outcomes on top of the list that `autopilot status` shows; without any it gets another version. One try: a lost race loses a line there. */
export async function rememberRecentOutcomes(ledger: Ledger, outcomes: readonly RecentOutcome[]): Promise<void> {
  const before = await ledger.read<RecentRow>(ledgerKeys.recent());
  const lines = withinRow([...outcomes.map(lineOf).toReversed(), ...(before?.lines ?? [])]);
  await ledger.write<RecentRow>(before, { pk: ledgerKeys.recent(), kind: 'recent', lines });
}

/** The last outcomes, newest first. */
export async function readRecentOutcomes(ledger: Ledger): Promise<readonly RecentOutcome[]> {
  const row = await ledger.read<RecentRow>(ledgerKeys.recent());
  return (row?.lines ?? []).map(([seconds, worker, kind, subject, reason, detail]) => {
    const at = new Date(seconds * 1000).toISOString();
    return { at, worker, kind, subject, reason: reason || undefined, detail: detail || undefined };
  });
}

/** The newest, as far as they fit. */
function withinRow(lines: readonly RecentLine[]): readonly RecentLine[] {
  const within: RecentLine[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, maxEntries)) {
    bytes += Buffer.byteLength(JSON.stringify(line)) + ','.length;
    if (bytes > maxBytes) break;
    within.push(line);
  }
  return within;
}

function lineOf({ at, worker, kind, reason, subject, detail = '' }: RecentOutcome): RecentLine {
  const name = subject.length > maxSubjectLength ? `…${subject.slice(-maxSubjectLength)}` : subject;
  const says = detail.length > maxDetailLength ? `${detail.slice(0, maxDetailLength)}…` : detail;
  return [Math.floor(Date.parse(at) / 1000), worker, kind, name, reason ?? '', says];
}

/** One line of `autopilot status`. */
export interface RecentOutcome extends RecordedOutcome {
  readonly worker: string;
  /** What it was about, for people: an object key, a watch. */
  readonly subject: string;
}
