import { checkChangedOnce, type Ledger, type RowChange, type Stored } from '#shared/ledger/ledger.ts';
import { runsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { reservationsAt } from '#shared/ledger/rows/guard-row.ts';
import type { LedgerRow, RecordedOutcome } from '#shared/ledger/rows/ledger-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';

/** What a history sees of the ledger beside its port. */
export interface LightLedger extends Ledger {
  readonly all: () => IterableIterator<Stored>;
  readonly get: (pk: string) => Stored | undefined;
}

/**
 * The port of the ledger in memory, for the search only. Each row is copied once when it is
 * written, without `undefined`, and frozen by convention. `memory-ledger.ts` copies on each read as
 * well, which takes most of a history's time.
 * @param onWritten - sees each write, as the rows were and as they are
 */
export function createLightLedger(
  onWritten: (rows: readonly { before?: Stored; after: Stored }[]) => void,
): LightLedger {
  const rows = new Map<string, Stored>();
  let writes = 0;

  const isUnchanged = ({ before, after }: RowChange) => {
    const current = rows.get(after.pk);
    return current?.version === before?.version && current?.writer === before?.writer;
  };

  function putAll(changes: readonly RowChange[]): Stored[] {
    writes += 1;
    const written = changes.map(({ before, after }) => {
      const stored = kept({ ...after, version: (before?.version ?? 0) + 1, writer: `w${writes}` });
      const was = rows.get(after.pk);
      rows.set(after.pk, stored);
      return { before: was, after: stored };
    });
    onWritten(written);
    return written.map(({ after }) => after);
  }

  return {
    // A key is of one kind of row.
    read: async <Row extends LedgerRow>(pk: Row['pk']) => rows.get(pk) as Stored<Row> | undefined,
    readMany: async (pks) =>
      new Map(pks.flatMap((pk) => (rows.has(pk) ? [[pk, rows.get(pk) as Stored] as const] : []))),
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      if (!isUnchanged({ before, after })) return undefined;
      return putAll([{ before, after }])[0] as Stored<Row>;
    },
    async writeAll(changes) {
      checkChangedOnce(changes);
      return changes.every(isUnchanged) ? putAll(changes) : 'row-changed';
    },
    async listOpen(state) {
      return { items: [...rows.values()].filter(({ openState }) => openState === state) };
    },
    all: () => rows.values(),
    get: (pk) => rows.get(pk),
  };
}

/** As JSON keeps it. */
function kept<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((one) => kept<unknown>(one)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (entry !== undefined) copy[key] = typeof entry === 'object' ? kept(entry) : entry;
  }
  return copy as Value;
}

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
