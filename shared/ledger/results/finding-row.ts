/** A finding about the runs of a name: something to look at that is no outcome of a command. Pure. */
import type { Resolution } from '../rows/message-row.ts';
import type { LedgerRowBase } from '../rows/row-base.ts';
import { expiryOf, type FindingKind, ledgerKeys } from '../rows/row-keys.ts';

/**
 * One for a run name and kind. It stands in the index of what needs attention until a later run goes better, or an operator decides about it.
 * Instants are RFC 3339 in UTC.
 */
export interface FindingRow extends LedgerRowBase, FindingStart {
  readonly kind: 'finding';
  readonly run: string;
  readonly finding: FindingKind;
  /** Starts in a row; 0: a later run went better. */
  readonly count: number;
  /** The first of them. */
  readonly since: string;
  readonly resolutions?: readonly Resolution[];
}

/** The last start that it was found of. */
export interface FindingStart {
  readonly startId: string;
  readonly campaignRunId: string;
  readonly startAt: string;
  /** When it was found. */
  readonly at: string;
  readonly low?: LowScore;
}

/** Why a score is low, and what had changed. */
export interface LowScore {
  readonly score: number;
  /** The configured limit that it is below. */
  readonly atLeast?: number;
  /** The median of the complete runs before it, from which it fell further than is allowed. */
  readonly median?: number;
  /** What changed since the complete run before it. */
  readonly changed: readonly string[];
}

/** Notes a finding. @returns `undefined` if this start is noted already */
export function withFinding(
  before: FindingRow | undefined,
  about: Pick<FindingRow, 'run' | 'finding'>,
  start: FindingStart,
): FindingRow | undefined {
  if (before?.startId === start.startId) return undefined;
  const { run, finding } = about;
  const count = (before?.count ?? 0) + 1;
  const since = count === 1 ? start.at : (before?.since ?? start.at);
  const pk = ledgerKeys.finding(run, finding);
  return { pk, kind: 'finding', run, finding, count, since, ...start, openState: 'PARKED', openSince: start.at };
}

/** Ends a finding, since a run went better. @returns `undefined` if there is none, or if it is of a later start */
export function withoutFinding(
  before: FindingRow | undefined,
  { startAt, at }: Pick<FindingStart, 'startAt' | 'at'>,
): FindingRow | undefined {
  if (before === undefined || before.count === 0 || Date.parse(before.startAt) > Date.parse(startAt)) return undefined;
  return { ...left(before), count: 0, expiresAt: expiryOf('finding', new Date(at)) };
}

/** With a decision about it: it needs attention no more. How many there were in a row still counts. */
export function withDecision(before: FindingRow, resolution: Resolution): FindingRow {
  return { ...left(before), resolutions: [...(before.resolutions ?? []), resolution] };
}

function left({ openState: _openState, openSince: _openSince, ...row }: FindingRow): FindingRow {
  return row;
}

/** Whether it needs attention. */
export function isOpenFinding(row: FindingRow | undefined): row is FindingRow {
  return row?.openState === 'PARKED';
}
