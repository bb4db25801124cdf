/** The rows of a run name, of a run id and of the pool of a run, and the requests of a start. A run id is one run, started at most once in its life. Pure. */
import type { RunPool } from '../../config/resolve/resolved-automation.ts';
import type { CommandOrder } from '../../messages/campaign-run-command.ts';
import type { RequestEvidence } from './message-row.ts';
import type { LedgerRowBase } from './row-base.ts';
import { idDigest, ledgerKeys } from './row-keys.ts';
import type { InFlight } from './target-row.ts';
import { dayMs } from '../../schedule/duration.ts';

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

/** How a stop goes for one run. `ended`: the gateway says that the run is not going. `refused`: refused for good. */
export type StopState = 'ordered' | 'stopped' | 'ended' | 'refused';

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

/** Gives an id back: its start is proven not applied. One that neither the configuration nor a pool lists is bound again. */
export function withReturned(row: RunRow, campaignRunId: string, configured: readonly string[]): RunRow {
  const used = row.used.filter((digest) => digest !== idDigest(campaignRunId));
  const isListed = configured.includes(campaignRunId) || row.bound.includes(campaignRunId);
  return { ...row, used, bound: isListed ? row.bound : [campaignRunId, ...row.bound] };
}

/** The row of an id as the start of an entry wrote it. */
export function idRowOf(
  { campaignRunId, run, startId, issuedAt }: Pick<InFlight, 'campaignRunId' | 'run' | 'startId' | 'issuedAt'>,
  target: string,
): IdRow {
  return { pk: ledgerKeys.runId(campaignRunId), kind: 'run-id', campaignRunId, run, startId, issuedAt, target };
}

/** What the row of a start keeps of its requests. */
export interface Requested {
  /** The one that counts: that of the request that was answered, else of the last one that left. */
  readonly startAt?: string;
  /** Between the first and the last one are only more of them. */
  readonly requests?: { readonly count: number; readonly first: StartRequest; readonly last: StartRequest };
}

/** A request that left. */
interface StartRequest {
  /** Its `x-request-id`. */
  readonly id: string;
  readonly at: string;
  readonly startAt: string;
  /** It held a word that starts a run at once, or at `startAt`. */
  readonly isWord?: true;
  readonly answer?: RequestAnswer;
}

/** What answered a request, and what that says. */
interface RequestAnswer {
  readonly at: string;
  readonly applied: 'yes' | 'no' | 'unknown';
  readonly status?: number;
  readonly code?: string;
  /** Something before the gateway answered. */
  readonly speaker?: 'edge';
}

/** The row of a start with one more request. */
export function withRequest<Row extends Requested>(row: Row, request: StartRequest): Row {
  const { count = 0, first = request } = row.requests ?? {};
  return { ...row, startAt: request.startAt, requests: { count: count + 1, first, last: request } };
}

/** The row of a start with what answered its last request. After a refusal an earlier request counts that may have been taken. */
export function withAnswer<Row extends Requested>(
  row: Row,
  { applied = 'yes', evidence }: Partial<Pick<RequestAnswer, 'applied'>> & { readonly evidence?: RequestEvidence },
  now: Date,
): Row {
  const { requests } = row;
  if (requests === undefined) return row;
  const { httpStatus: status, errorCode: code, speaker } = evidence ?? {};
  const last = { ...requests.last, answer: { at: now.toISOString(), applied, status, code, speaker } };
  const first = requests.count === 1 ? last : requests.first;
  const counts = applied === 'no' && first.answer?.applied !== 'no' ? first : last;
  return { ...row, startAt: counts.startAt, requests: { ...requests, first, last } };
}

/** A pool of runs. Only `watch-campaigns` writes it, and it stays for ever. Instants are RFC 3339 in UTC. */
export interface PoolRow extends LedgerRowBase {
  readonly kind: 'pool';
  /** The configured run's name. */
  readonly run: string;
  /** Eight random letters: with the name of the run they name its runs at the gateway, and no other pool's. */
  readonly mark: string;
  readonly made: readonly MadeRun[];
  /** Requests for one run each, of the last day. */
  readonly asks: readonly PoolAsk[];
  /** Asks in a row of which no run was found. */
  readonly lost: number;
  /** A run of it may exist that no list has shown. */
  readonly everLost?: true;
  /** The last whole list. */
  readonly listed: string;
  /** The last list that failed; absent after one that did not. */
  readonly unlisted?: string;
  /** How far the gateway's clock is ahead of ours, if that is more than a few minutes. */
  readonly aheadMs?: number;
  /** Why it is not filled, in the gateway's words. `isSent`: the event of it is. */
  readonly failing?: { readonly since: string; readonly says: string; readonly isSent?: true };
}

/** A run that was made and that no applied start has taken. */
export interface MadeRun {
  readonly id: string;
  /** When it begins if it is neither used nor cancelled. */
  readonly startAt: string;
  /** It is being cancelled: the last try. */
  readonly cancel?: { readonly at: string; readonly tries: number };
}

/** A request for a run. Without an answer it may have made one. */
export interface PoolAsk {
  readonly at: string;
  /** `later`: the gateway has no room, or could not be reached; `lost`: no list has shown its run. */
  readonly answer?: 'made' | 'refused' | 'later' | 'lost';
}

/** The key of the row of a pool. */
export function poolKey({ run, campaignId, providerIds }: RunPool): string {
  return ledgerKeys.pool(run, campaignId, providerIds);
}

/** A pool of which nothing was made. */
export function newPoolRow(pool: RunPool, mark: string, now: Date): PoolRow {
  const [run, at] = [pool.run, now.toISOString()];
  const index = { openState: 'POOL', openSince: at } as const;
  return { pk: poolKey(pool), kind: 'pool', ...index, run, mark, made: [], asks: [], lost: 0, listed: at };
}

/** The later of our clock and the gateway's. */
export function poolNow({ aheadMs = 0 }: Pick<PoolRow, 'aheadMs'>, now: Date): Date {
  return new Date(now.getTime() + aheadMs);
}

/** After an outage a start would take a run that has begun. */
const leastAheadMs = dayMs;

/** The ids that a start may take, as far as this row knows. The row of an id decides. */
export function poolIds(row: PoolRow | undefined, now: Date): readonly string[] {
  if (row === undefined) return [];
  const fromMs = poolNow(row, now).getTime() + leastAheadMs;
  return row.made
    .filter(({ cancel, startAt }) => cancel === undefined && Date.parse(startAt) > fromMs)
    .map(({ id }) => id);
}

/** With fewer unused ids a run rings. A pool is filled within the hour: at half of it something keeps it from that. */
export function lowMark({ pool }: { readonly pool?: Pick<RunPool, 'keepReady'> }, runIdsLow: number): number {
  return pool === undefined ? runIdsLow : Math.min(runIdsLow, Math.ceil(pool.keepReady / 2));
}
