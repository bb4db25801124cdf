/** The rows of a run name and of a run id. A run id is one run, started at most once in its life. Pure. */
import type { CommandOrder } from '../../messages/campaign-run-command.ts';
import type { StopState } from './command-row.ts';
import type { LedgerRowBase } from './row-base.ts';
import { idDigest, ledgerKeys } from './row-keys.ts';

/** A configured run: the ids that its starts have used, those that operators bound, and its latest command. */
export interface RunRow extends LedgerRowBase {
  readonly kind: 'run';
  /** The configured run's name. */
  readonly run: string;
  /**
   * A digest of each used id, 11 characters each: it says where to look for a free id. The row of the id decides. A row of 400 KB has room for
   * 25,000 starts.
   */
  readonly used: readonly string[];
  /** Ids that an operator added after those of the configuration and that no start has used. */
  readonly bound: readonly string[];
  /** The latest stop by name or deferred start: an earlier start is superseded. */
  readonly latest?: CommandOrder;
  /** Targets whose rows may have an entry of it: a deployment may have given its campaign another target. */
  readonly targets?: readonly string[];
}

/** A run id that is used up. One whose start is proven not applied keeps its row, without a start: it is free again. */
export interface IdRow extends LedgerRowBase {
  readonly kind: 'run-id';
  readonly campaignRunId: string;
  /** The configured run that used it; absent if no configuration knows the id. */
  readonly run?: string;
  /** The start that used it; absent if a stop by uuid came before any start. */
  readonly startId?: string;
  /** It is of a pool: given back, it is not bound. */
  readonly isMade?: true;
  /** Of that start. */
  readonly issuedAt?: string;
  /** The target row that got its entry. */
  readonly target?: string;
  /** How its run ended, or how the last stop of it went. */
  readonly end?: IdEnd;
  /** When its campaign showed it as its last run though no start used it: its own `startAt` came, or a person began it. */
  readonly begunElsewhere?: string;
}

/** How the run of an id ended, or how the last stop of it went. */
export interface IdEnd {
  /** The stop, or `itself`. */
  readonly by: string;
  /** `given-up`: the stop got its outcome before the gateway said anything that settles it. `shown`: the gateway shows the run as ended. */
  readonly how: StopState | 'given-up' | 'shown';
  readonly at: string;
}

/** In `end.by`: no stop of ours ended the run. */
export const endedByItself = 'itself';

/** Whether a run has ended. What a later stop says of it changes nothing. */
export function isEnd(end: IdEnd | undefined): end is IdEnd {
  return end !== undefined && ['stopped', 'ended', 'shown'].includes(end.how);
}

/** The row of an id with the end of its run; the first end stays. */
export function withEnd(row: IdRow, end: IdEnd): IdRow {
  return isEnd(row.end) ? row : { ...row, end };
}

/** A run of which no id was used. */
export function newRunRow(run: string): RunRow {
  return { pk: ledgerKeys.run(run), kind: 'run', run, used: [], bound: [] };
}

/**
 * The ids that no start has used, as far as the row of the run knows. The row of an id decides.
 * @param made - those of its pool, which come last
 */
export function freeIds(
  row: Pick<RunRow, 'used' | 'bound'> | undefined,
  configured: readonly string[],
  made: readonly string[] = [],
): readonly string[] {
  const used = new Set(row?.used);
  return [...new Set([...configured, ...(row?.bound ?? []), ...made])].filter((id) => !used.has(idDigest(id)));
}

/** Whether the row of the run counts this id as used. */
export function isUsed({ used }: Pick<RunRow, 'used'>, campaignRunId: string): boolean {
  return used.includes(idDigest(campaignRunId));
}

/** Whether a start may take an id, by its row. */
export function isFreeId(row: Pick<IdRow, 'startId' | 'end' | 'begunElsewhere'> | undefined): boolean {
  return row?.startId === undefined && row?.end === undefined && row?.begunElsewhere === undefined;
}

/** Uses an id: no later start takes it. */
export function withUsed(row: RunRow, campaignRunId: string): RunRow {
  const bound = row.bound.filter((id) => id !== campaignRunId);
  return isUsed(row, campaignRunId)
    ? { ...row, bound }
    : { ...row, bound, used: [...row.used, idDigest(campaignRunId)] };
}

/** Gives an id back: its start is proven not applied. An id that the configuration does not list is bound again. */
export function withReturned(row: RunRow, campaignRunId: string, configured: readonly string[]): RunRow {
  const used = row.used.filter((digest) => digest !== idDigest(campaignRunId));
  const isListed = configured.includes(campaignRunId) || row.bound.includes(campaignRunId);
  return { ...row, used, bound: isListed ? row.bound : [campaignRunId, ...row.bound] };
}
