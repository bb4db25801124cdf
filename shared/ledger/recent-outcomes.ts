import { ledgerKeys } from './rows/row-keys.ts';
import type { Ledger } from './ledger.ts';
import type { RecentRow } from './rows/stage-rows.ts';
import type { RecordedOutcome } from './rows/row-base.ts';

/** As many as `autopilot status` prints. */
const maxEntries = 10;

/** Every batch rewrites the list, and DynamoDB bills each begun KB of a write: this leaves room for the row's other attributes. */
const maxBytes = 900;

/** Of what stands beside a line in its list. */
const bytesBeside = 3;

const maxSubjectLength = 80;
const maxDetailLength = 100;

/** Puts outcomes on top of the list that `autopilot status` shows; without any it gets another version. One try: a lost race loses a line there. */
export async function rememberRecentOutcomes(ledger: Ledger, outcomes: readonly RecentOutcome[]): Promise<void> {
  const before = await ledger.read<RecentRow>(ledgerKeys.recent());
  const lines = withinRow(outcomes, before?.lines ?? []);
  await ledger.write<RecentRow>(before, { pk: ledgerKeys.recent(), kind: 'recent', lines });
}

/** The last outcomes, newest first. */
export async function readRecentOutcomes(ledger: Ledger): Promise<readonly RecentOutcome[]> {
  const row = await ledger.read<RecentRow>(ledgerKeys.recent());
  return (row?.lines ?? []).flatMap(outcomesOf);
}

/** The newest first, then those of before, as far as they fit. */
function withinRow(outcomes: readonly RecentOutcome[], before: readonly string[]): readonly string[] {
  const within: string[] = [];
  let bytes = 0;
  for (let index = 0; index < maxEntries; index += 1) {
    const outcome = outcomes[outcomes.length - 1 - index];
    const line = outcome === undefined ? before[index - outcomes.length] : lineOf(outcome);
    if (line === undefined) break;
    bytes += Buffer.byteLength(line) + bytesBeside;
    if (bytes > maxBytes) break;
    within.push(line);
  }
  return within;
}

/** `2026-11-20T19:59:00Z register-datasets parked:VALIDATION datasets/pii/a.csv`, and the detail on a line of its own. */
function lineOf({ at, worker, kind, reason, subject, detail }: RecentOutcome): string {
  const name = subject.replaceAll('\n', ' '); // a key may hold one, and what follows it would be read as the detail
  const end = name.length > maxSubjectLength ? `…${name.slice(-maxSubjectLength)}` : name;
  const line = `${at.slice(0, 19)}Z ${worker} ${reason === undefined ? kind : `${kind}:${reason}`} ${end}`;
  if (detail === undefined) return line;
  return `${line}\n${detail.length > maxDetailLength ? `${detail.slice(0, maxDetailLength)}…` : detail}`;
}

/** A line that is none of ours, as a version to come may write it, is left out. */
function outcomesOf(line: string): readonly RecentOutcome[] {
  const [, at, worker, kind, reason, subject, detail] = written.exec(line) ?? [];
  // What `lineOf` wrote.
  return subject === undefined ? [] : [{ at, worker, kind, subject, reason, detail } as RecentOutcome];
}

const written = /^(\S+) (\S+) ([a-z]+)(?::([A-Z_]+))? ([^\n]*)(?:\n([^]*))?$/;

/** One line of `autopilot status`. */
export interface RecentOutcome extends RecordedOutcome {
  readonly worker: string;
  /** What it was about, for people: an object key, a watch. */
  readonly subject: string;
}
