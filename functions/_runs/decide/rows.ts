/** What a decision reads of the rows and the configuration, and what it writes. Pure. */
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import {
  attemptOf,
  type CommandEnd,
  type CommandRow,
  endedRow,
  type FailedCall,
  newCommandRow,
  waitingRow,
} from '#shared/ledger/rows/command-row.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  freeIds,
  type IdRow,
  newRunRow,
  poolIds,
  poolKey,
  type PoolRow,
  type RunRow,
  withRequest,
} from '#shared/ledger/rows/run-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { type InFlight, newTargetRow, type TargetRow, withEntry } from '#shared/ledger/rows/target-row.ts';
import { type CommandOrder, compareCommands } from '#shared/messages/campaign-run-command.ts';
import type { ParkReason, SkipReason } from '#shared/vocabulary/reason-codes.ts';
import type { CommandState, Decision, Effect, Moment, OwnRow, Rows, RunsConfig, Settling } from './state.ts';

/** A run in flight, and the target row that has its entry. */
export interface Found {
  readonly row: TargetRow;
  readonly entry: InFlight;
}

type Known = Pick<CommandState, 'rows' | 'targets' | 'sent'>;

/** The row of a key; `undefined` also if it was not read: then the write that needs it fails, and all are read. */
export function rowOf<Row extends LedgerRow>(rows: Rows, key: string | undefined): Stored<Row> | undefined {
  return rows.get(key ?? '') as Stored<Row> | undefined;
}

/** The stored row of the command itself. */
export function storedOwn({ rows, sent }: Known): OwnRow | undefined {
  return rowOf<CommandRow>(rows, ledgerKeys.command(sent.id));
}

/** The row of the command itself, also if it was never written. */
export function ownRow(state: Omit<Settling, 'delivery'>): CommandRow {
  const { sent, sender, command, now } = state;
  const isAhead = command.issuedAt !== sent.issuedAt;
  const taken = { isTaken: true, sender, sent: isAhead ? command.issuedAt : undefined } as const;
  return storedOwn(state) ?? { ...newCommandRow(sent, now), ...taken };
}

/** The row of a run's name. */
export function runRow({ rows }: Known, run: string | undefined): RunRow | undefined {
  return rowOf<RunRow>(rows, run && ledgerKeys.run(run));
}

/** The row of a run id. */
export function idRow({ rows }: Known, campaignRunId: string | undefined): Stored<IdRow> | undefined {
  return rowOf<IdRow>(rows, campaignRunId && ledgerKeys.runId(campaignRunId));
}

/** The ids that a start of a run may take, those of its pool among them, and its pool. */
export function idsOf({ rows }: Pick<Known, 'rows'>, { name, campaignRunIds, pool }: ResolvedRun, now: Date) {
  const row = rowOf<PoolRow>(rows, pool && poolKey(pool));
  const made = poolIds(row, now);
  return { pool: row, made, free: freeIds(rowOf<RunRow>(rows, ledgerKeys.run(name)), campaignRunIds, made) };
}

/** A target row that was read. */
export function targetRow({ rows }: Pick<Known, 'rows'>, target: string): TargetRow | undefined {
  return rowOf<TargetRow>(rows, ledgerKeys.target(target));
}

/** Every entry of the target rows that were read. */
export function entriesIn(known: Pick<Known, 'rows' | 'targets'>): readonly Found[] {
  return known.targets.flatMap((name) => {
    const row = targetRow(known, name);
    return row === undefined ? [] : row.runs.map((entry) => ({ row, entry }));
  });
}

export function entryIn(known: Known, startId: string): Found | undefined {
  return entriesIn(known).find(({ entry }) => entry.startId === startId);
}

/** What the row of a start keeps of its entry. */
export function startFacts({ due, endsAt, plansStop, campaign, confirmWithin }: InFlight): CommandRow['facts'] {
  return { due, endsAt, plansStop, campaign, confirmWithin };
}

/** The place of an entry's start in the order of commands. */
export function orderOfStart({ issuedAt, startId: id }: Pick<InFlight, 'issuedAt' | 'startId'>): CommandOrder {
  return { issuedAt, id };
}

/** The target row with this entry changed. */
export function changedEntry({ row, entry }: Found, fields: Partial<InFlight>): TargetRow {
  return withEntry(row, { ...entry, ...fields });
}

/** The target rows with these entries changed: a row once, with all of its changes. */
export function changedTargets(
  found: readonly Found[],
  fieldsOf: (entry: InFlight) => Partial<InFlight>,
): readonly TargetRow[] {
  const rows = new Map<string, TargetRow>();
  for (const { row, entry } of found) {
    rows.set(row.pk, changedEntry({ row: rows.get(row.pk) ?? row, entry }, fieldsOf(entry)));
  }
  return [...rows.values()];
}

/** The target rows as read, so that a write fails if any of them has changed. */
export function unchangedTargets(known: Known): readonly TargetRow[] {
  return known.targets.map((name) => targetRow(known, name) ?? newTargetRow(name));
}

/** The row of a run's name with the order of this command as its latest; none if a later one is there. */
export function withLatest({ command, ...known }: Known & Pick<Settling, 'command'>): readonly RunRow[] {
  const { run, id, issuedAt } = command;
  if (run === undefined) return [];
  const row = runRow(known, run) ?? newRunRow(run);
  const isLater = row.latest === undefined || compareCommands(row.latest, command) < 0;
  return isLater ? [{ ...row, latest: { id, issuedAt } }] : [];
}

/** Rows to write, a later one in place of an earlier one of its key. */
export function merged(...writes: readonly (readonly LedgerRow[])[]): readonly LedgerRow[] {
  return [...new Map(writes.flat().map((row) => [row.pk, row])).values()];
}

/** The moment as it is once these rows are written. */
export function afterWrites(moment: Moment, writes: readonly LedgerRow[]): Moment {
  // The rows are not stored yet: only their content is looked at.
  const rows: Rows = new Map([...moment.rows, ...writes.map((row) => [row.pk, row as OwnRow] as const)]);
  return { ...moment, rows };
}

/**
 * The command's row with the mark of this attempt, before a request leaves.
 * @param startAt - of the request of a start
 */
export function begun(moment: Moment, fields: Partial<CommandRow>, startAt?: Date): CommandRow {
  const { now, delivery } = moment;
  const { owner: id } = delivery;
  const isWord = moment.config.gateway.status.start === undefined ? undefined : true;
  const own = ownRow(moment);
  const attempt = attemptOf(own, now);
  const until = new Date(now.getTime() + delivery.remainingMs).toISOString();
  const isDeferred = own.openState === 'DEFERRED';
  const row: CommandRow = {
    ...own,
    ...(isDeferred ? ({ openState: 'PENDING', openSince: attempt.since } as const) : {}),
    ...fields,
    attempt: { ...attempt, owner: id, until },
  };
  return startAt === undefined
    ? row
    : withRequest(row, { id, at: now.toISOString(), startAt: startAt.toISOString(), isWord });
}

/** The wait of a command. */
export interface Wait {
  readonly delayMs: number;
  readonly why: string;
  /** The call that failed, if one did. */
  readonly failed?: FailedCall;
  readonly writes?: readonly LedgerRow[];
  /** What changes in the command's row beside its attempt. */
  readonly own?: Partial<CommandRow>;
  readonly effect?: Effect;
}

/** The command comes back later. Its row says since when, why and when: pending work is never invisible. */
export function waits(moment: Moment, { writes = [], own, effect, ...wait }: Wait): Decision {
  const { delayMs, why } = wait;
  const row = waitingRow({ ...ownRow(moment), ...own }, wait, moment.now);
  return { writes: [...writes, row], effect, then: { kind: 'wait', delayMs, why } };
}

/** The command ends: its outcome and the rows that it settles are one write. */
export function ends(moment: Settling, end: CommandEnd, writes: readonly LedgerRow[] = []): Decision {
  const row = endedRow(ownRow(moment), end, moment.now, moment.delivery);
  return { writes: merged(writes, [row], unseen(moment, row)), then: { kind: 'outcome' } };
}

/** The finding that nothing shows the run of a start without an answer. A parked one is a need already; one that is only observed is none. */
function unseen(moment: Settling, { command, outcome, campaignRunId, startAt, mayHaveRun }: CommandRow) {
  const { run } = command;
  if (outcome?.reason !== 'UNCONFIRMED' || run === undefined || campaignRunId === undefined) return [];
  const before = rowOf<FindingRow>(moment.rows, ledgerKeys.finding(run, 'RUN_UNSEEN'));
  const start = {
    startId: command.id,
    campaignRunId,
    startAt: startAt ?? mayHaveRun?.from ?? outcome.at,
    at: outcome.at,
  };
  return [withFinding(before, { run, finding: 'RUN_UNSEEN' }, start)].filter((row) => row !== undefined);
}

/** The effect was made. */
export function applied(
  campaignRunId: string | undefined,
  detail?: string,
  more: Partial<CommandEnd> = {},
): CommandEnd {
  return { outcome: { kind: 'applied', detail }, campaignRunId, ...more };
}

/** A later command replaced it. */
export function superseded(detail: string, more: Partial<CommandEnd> = {}): CommandEnd {
  return { outcome: { kind: 'superseded', detail }, ...more };
}

/** A guard refused it, or there was nothing to do. */
export function skipped(reason: SkipReason, detail: string, more: Partial<CommandEnd> = {}): CommandEnd {
  return { outcome: { kind: 'skipped', reason, detail }, ...more };
}

/** It needs a person. */
export function parked(reason: ParkReason, detail: string, more: Partial<CommandEnd> = {}): CommandEnd {
  return { outcome: { kind: 'parked', reason, detail }, ...more };
}

/** What the configuration says about runs. */
type Runs = Pick<RunsConfig, 'runs'>;

export function runNamed(name: string | undefined, { runs }: Runs): ResolvedRun | undefined {
  return name !== undefined && Object.hasOwn(runs, name) ? runs[name] : undefined;
}

/** The run whose list has this id. An id that an operator bound is in no list. */
export function runOfId(campaignRunId: string, { runs }: Runs): ResolvedRun | undefined {
  return Object.values(runs).find(({ campaignRunIds }) => campaignRunIds.includes(campaignRunId));
}

/** One sentence for a name that the configuration does not know. */
export function unknownName(name: string, { runs }: Runs): string {
  const known = Object.keys(runs).toSorted().join(', ');
  return `no run is configured under the name "${name}"; known are: ${known || 'none'}`;
}
