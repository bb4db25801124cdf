/** The runs that may have begun, with what is known of their starts, and the one place that notes what is seen of them. */
import { type Ledger, rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { readTargetsInFlight } from '#shared/ledger/open-rows.ts';
import { type FindingRow, type FindingStart, withFinding, withoutFinding } from '#shared/ledger/results/finding-row.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { InFlight, StoppedRun, TargetRow } from '#shared/ledger/rows/target-row.ts';
import type { WatchDeps } from '../_watch/watch-tick.ts';

/** A run in flight, or one that a stop ended. */
export interface BegunRun {
  /** Key of the row of its target. */
  readonly target: TargetRow['pk'];
  readonly entry: InFlight & Partial<Pick<StoppedRun, 'stoppedAt'>>;
  readonly start: CommandRow | undefined;
  readonly startAt: Date;
  /** The row of its run id. */
  readonly stored: Stored<ConfirmationRow> | undefined;
  /** The same, unless it is of an earlier start that was not applied. */
  readonly noted: ConfirmationRow | undefined;
  /** The finding that no start of its name was seen. */
  readonly unseen: Stored<FindingRow> | undefined;
}

/** Those of every target whose `startAt` has come, and the rows that were read for them, with others beside. */
export async function readBegunRuns(
  { ledger, now }: Pick<WatchDeps, 'ledger' | 'now'>,
  beside: readonly string[] = [],
): Promise<{ readonly runs: readonly BegunRun[]; readonly rows: ReadonlyMap<string, Stored> }> {
  const inFlight = (await readTargetsInFlight(ledger)).flatMap((row) =>
    openEntries(row).map((entry) => ({ target: row.pk, entry })),
  );
  if (inFlight.length === 0) return { runs: [], rows: new Map() };
  const keys = inFlight.flatMap(({ entry }) => Object.values(keysOf(entry)));
  const rows = await ledger.readMany([...new Set([...keys, ...beside])]);
  const runs = inFlight.map(({ target, entry }): BegunRun => {
    const key = keysOf(entry);
    const start = rowAt<CommandRow>(rows, key.start);
    const stored = rowAt<ConfirmationRow>(rows, key.confirmation);
    const noted = stored?.startId === entry.startId ? stored : undefined;
    const startAt = new Date(start?.startAt ?? entry.due);
    return { target, entry, start, startAt, stored, noted, unseen: rowAt<FindingRow>(rows, key.unseen) };
  });
  return { rows, runs: runs.filter(({ startAt }) => startAt <= now()) };
}

/** The runs in flight of a target, and those that a stop ended. */
export function openEntries({ runs = [], stopped = [] }: Partial<TargetRow> = {}): readonly InFlight[] {
  return [...runs, ...stopped];
}

function keysOf({ startId, campaignRunId, run }: InFlight) {
  return {
    start: ledgerKeys.command(startId),
    confirmation: ledgerKeys.confirmation(campaignRunId),
    unseen: ledgerKeys.finding(run, 'RUN_UNSEEN'),
  };
}

/** The start of a run, as a finding at this instant has it. */
export function startOf({ entry: { startId, campaignRunId }, startAt }: BegunRun, at: string): FindingStart {
  return { startId, campaignRunId, startAt: startAt.toISOString(), at };
}

/** The row of a run's id with what was seen of it at this instant. */
export function withSeen({ entry, noted }: BegunRun, seen: Partial<ConfirmationRow>, at: string): ConfirmationRow {
  const { campaignRunId, startId, run, campaignId } = entry;
  const pk = ledgerKeys.confirmation(campaignRunId);
  const expiresAt = expiryOf('confirmation', new Date(at));
  return { ...noted, pk, kind: 'confirmation', campaignRunId, startId, run, campaignId, ...seen, expiresAt };
}

/**
 * Writes that row. The finding that no start was seen comes if this one is missing, and goes once one is shown.
 * @returns whether no other tick was first
 */
export async function writeSeen(
  run: BegunRun,
  { after, at, isMissing }: { readonly after: ConfirmationRow; readonly at: string; readonly isMissing: boolean },
  ledger: Pick<Ledger, 'writeAll'>,
): Promise<boolean> {
  const { noted, stored, unseen, entry } = run;
  const isShown = after.confirmed !== undefined && noted?.confirmed === undefined;
  const start = startOf(run, at);
  const finding = isMissing
    ? withFinding(unseen, { run: entry.run, finding: 'RUN_UNSEEN' }, start)
    : isShown && withoutFinding(unseen, start);
  const beside = finding ? [{ before: unseen, after: finding }] : [];
  return (await ledger.writeAll([{ before: stored, after }, ...beside])) !== 'row-changed';
}
