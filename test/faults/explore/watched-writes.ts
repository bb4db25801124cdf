import { reservationsAt } from '#shared/ledger/rows/guard-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { runsInFlight } from '#shared/ledger/open-rows.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';

/** An outcome as it was recorded, by the time of the gateway. */
export interface SeenOutcome extends RecordedOutcome {
  readonly atMs: number;
  readonly row: CommandRow;
}

const nameOf = (one: { readonly campaignRunId: string; readonly startId: string }) =>
  `${one.campaignRunId} of ${one.startId}`;

/** What the writes of a history show: outcomes, and whether both lists of runs in flight agree. */
export function createWatchedWrites() {
  const outcomes = new Map<string, SeenOutcome>();
  const runs = new Map<string, Stored<RunRow>>();
  const guards = new Map<string, Stored & { kind: 'guard' }>();
  const faults: string[] = [];

  function seeCommand(before: Stored<CommandRow> | undefined, after: Stored<CommandRow>, atMs: number): void {
    const { outcome, id } = after;
    if (outcome === undefined) return;
    const earlier = before?.outcome;
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(outcome)) {
      faults.push(
        `${id} ended twice: ${earlier.kind} ${earlier.reason ?? ''}, then ${outcome.kind} ${outcome.reason ?? ''}`,
      );
    }
    if (outcome.kind === 'parked' && (outcome.reason === undefined || after.parked === undefined)) {
      faults.push(`${id} is parked without a reason or its message`);
    }
    outcomes.set(id, { ...outcome, atMs, row: after });
  }

  function compareLists(atMs: number): void {
    const now = new Date(atMs);
    const listed = runsInFlight([...runs.values()], now).map(({ row: { campaignRunId }, start: { startId } }) =>
      nameOf({ campaignRunId, startId }),
    );
    const reserved = [...guards.values()].flatMap((guard) => reservationsAt(guard, now)).map(nameOf);
    if (listed.toSorted().join() !== reserved.toSorted().join()) {
      faults.push(`I10: in flight are [${listed.join()}], and the guards count [${reserved.join()}]`);
    }
  }

  return {
    outcomes: outcomes as ReadonlyMap<string, SeenOutcome>,
    faults: faults as readonly string[],
    /** A person ordered the repeat: the next outcome is a new one. */
    see(rows: readonly { readonly before?: Stored; readonly after: Stored }[], atMs: number): void {
      let isListChanged = false;
      for (const { before, after } of rows) {
        if (after.kind === 'command') seeCommand(before?.kind === 'command' ? before : undefined, after, atMs);
        if (after.kind === 'run') runs.set(after.pk, after);
        if (after.kind === 'guard') guards.set(after.pk, after);
        isListChanged ||= after.kind === 'run' || after.kind === 'guard';
      }
      if (isListChanged && faults.length === 0) compareLists(atMs);
    },
  };
}

/** See {@link createWatchedWrites}. */
export type WatchedWrites = ReturnType<typeof createWatchedWrites>;
