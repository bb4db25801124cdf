/** The row of a run id pool: which ids of a configured run are used, added and live. Pure. */
import { hash } from 'node:crypto';
import type { CommandOrder } from '../../messages/campaign-run-command.ts';
import type { LedgerRowBase } from './ledger-row.ts';
import { ledgerKeys } from './row-keys.ts';

/** The ids of one configured run: used, added and live. */
export interface RunIdPoolRow extends LedgerRowBase {
  readonly kind: 'run-id-pool';
  /** The configured run's name. */
  readonly run: string;
  /**
   * One text of 24 characters for each used id, in order: digest of the id, digest of the command,
   * `!` if the gateway refused it. A row of 400 KB has room for 14,000 starts.
   */
  readonly used: readonly string[];
  /** The id that was used last. */
  readonly lastUsed?: string;
  /** Ids that an operator added after those of the configuration. */
  readonly added: readonly string[];
  /**
   * Ids that were started under this name, or that a stop by this name was about, and that are not
   * stopped; the latest comes last.
   */
  readonly live: readonly string[];
  /** The latest stop of the run by its name: an earlier start that comes later is superseded. */
  readonly latestStop?: CommandOrder;
}

/** The worker warns if fewer unused ids than this are left. */
export const lowRunIds = 3;

/** A pool of which no id was used. */
export function newRunIdPool(run: string): RunIdPoolRow {
  return { pk: ledgerKeys.runIdPool(run), kind: 'run-id-pool', run, used: [], added: [], live: [] };
}

/** Whether any start of the run used this id. */
export function isUsed({ used }: Pick<RunIdPoolRow, 'used'>, campaignRunId: string): boolean {
  const digest = digestOf(campaignRunId);
  return used.some((use) => use.startsWith(digest));
}

/**
 * The ids that no start has used, in the order in which starts use them; an id that is configured
 * and added counts once.
 */
export function freeIds(pool: RunIdPoolRow | undefined, configured: readonly string[]): readonly string[] {
  const used = new Set((pool?.used ?? []).map((use) => use.slice(0, digestLength)));
  const listed = digestsOf(configured).filter(({ digest }) => !used.has(digest));
  const added = (pool?.added ?? []).filter((id) => !used.has(digestOf(id)));
  return [...new Set([...listed.map(({ id }) => id), ...added])];
}

/** Uses an id for a start: a stop by name reaches it from here on. */
export function withUsed(pool: RunIdPoolRow, campaignRunId: string, startId: string): RunIdPoolRow {
  const used = isUsed(pool, campaignRunId) ? pool.used : [...pool.used, digestOf(campaignRunId) + digestOf(startId)];
  return { ...withLive(pool, campaignRunId), used, lastUsed: campaignRunId };
}

/** Counts an id as live; it is the latest. */
export function withLive(pool: RunIdPoolRow, campaignRunId: string): RunIdPoolRow {
  return { ...pool, live: [...withoutId(pool, campaignRunId), campaignRunId], lastUsed: campaignRunId };
}

/** Removes a stopped run from the live ids. */
export function withoutLive(pool: RunIdPoolRow, campaignRunId: string): RunIdPoolRow {
  return { ...pool, live: withoutId(pool, campaignRunId) };
}

/** Gives an id back that this start used: the gateway started nothing with it. */
export function withReturned(pool: RunIdPoolRow, campaignRunId: string, startId: string): RunIdPoolRow {
  const use = digestOf(campaignRunId) + digestOf(startId);
  return { ...withoutLive(pool, campaignRunId), used: pool.used.filter((one) => one !== use) };
}

/**
 * The gateway refused to start this id: it stays used, and a repeat of the command takes another.
 */
export function withRefused(pool: RunIdPoolRow, campaignRunId: string, startId: string): RunIdPoolRow {
  const use = digestOf(campaignRunId) + digestOf(startId);
  return { ...withoutLive(pool, campaignRunId), used: pool.used.map((one) => (one === use ? `${one}!` : one)) };
}

function withoutId({ live }: RunIdPoolRow, campaignRunId: string): readonly string[] {
  return live.filter((id) => id !== campaignRunId);
}

const digestLength = 11;

/** 66 bits in 11 characters. */
function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}

/** The ids of a configuration never change; a plan looks at each of them thousands of times. */
const configuredDigests = new WeakMap<readonly string[], readonly { readonly id: string; readonly digest: string }[]>();

function digestsOf(configured: readonly string[]): readonly { readonly id: string; readonly digest: string }[] {
  const known = configuredDigests.get(configured) ?? configured.map((id) => ({ id, digest: digestOf(id) }));
  configuredDigests.set(configured, known);
  return known;
}
