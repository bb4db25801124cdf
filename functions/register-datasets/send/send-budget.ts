import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { createRateLimiter, createSlotQueue, type LimiterClock, slotDelayMs } from '../../_gateway/rate-limiter.ts';
import { contentClaim } from '../upload-states.ts';

/** How long a POST and the record of its answer may take. */
export interface SendBudget {
  /** The whole call, repeats of what never left included. */
  readonly postMs: number;
  /** To write down what the gateway said. */
  readonly ledgerMs: number;
}

const longestPostMs = 45_000;
const longestLedgerMs = 5_000;

/**
 * The budget of a function by the time that an attempt has at its start: 45 s + 5 s if the function
 * has 120 s. A stage with shorter timeouts (5 s, for chaos runs) gets 2 s + 1 s without a setting.
 */
export function sendBudget(functionMs: number): SendBudget {
  return {
    postMs: Math.min(longestPostMs, Math.floor(functionMs * 0.4)),
    ledgerMs: Math.min(longestLedgerMs, Math.floor(functionMs * 0.2)),
  };
}

/**
 * Whether a POST may still begin: the platform can then cut neither the call nor the record of its
 * answer.
 */
export function hasTimeToSend(budget: SendBudget, remainingMs: number): boolean {
  return remainingMs >= budget.postMs + budget.ledgerMs;
}

/** Clocks differ and a cut function lingers: a lease outlives its attempt by this much. */
const leaseMarginMs = 30_000;

/** When an attempt that starts now certainly has ended: 150 s for a function of 120 s. */
export function leaseEnd(now: Date, remainingMs: number): string {
  return new Date(now.getTime() + remainingMs + leaseMarginMs).toISOString();
}

/**
 * The budget of one environment: fixed by its first attempt, which begins with all the time that
 * the function has.
 */
export function firstBudget(): (remainingMs: number) => SendBudget {
  let first: SendBudget | undefined;
  return (remainingMs) => (first ??= sendBudget(remainingMs));
}

/** The part of this environment's slots that the uploads of one rule may take. */
export interface RuleShare {
  /**
   * Takes the next slot of the rule if it is now. It never waits in process: the uploads of other
   * rules are next in the batch.
   * @returns how long the message stays out of sight, if the slot is later
   */
  readonly takeOrDelayMs: () => number | undefined;
}

/**
 * Makes the shares of the rules that have one, by prefix
 * (docs/adr/0041-a-share-of-the-rate-for-each-rule.md).
 * @param requestsPerSecond - this environment's share of the rate of all uploads
 */
export function createRuleShares(
  rules: readonly Pick<ResolvedDatasetRule, 'prefix' | 'share'>[],
  requestsPerSecond: number,
  clock?: LimiterClock,
): ReadonlyMap<string, RuleShare> {
  const shares = new Map<string, RuleShare>();
  for (const { prefix, share } of rules) {
    if (share !== undefined) shares.set(prefix, createRuleShare(requestsPerSecond * share, clock));
  }
  return shares;
}

/**
 * Messages of a rule that come back for each of its slots, in units of the two of `SlotQueue`. They
 * come back at whole seconds and to whichever environment is free, and wait in none. In hours on a
 * virtual clock a flood took 51 % of its share with 1, and 66 % with 2 (2026-11-23).
 */
const messagesPerSlot = 2;

function createRuleShare(requestsPerSecond: number, clock: LimiterClock | undefined): RuleShare {
  const stepMs = 1000 / requestsPerSecond / messagesPerSlot;
  const limiter = createRateLimiter({ uploads: requestsPerSecond }, { clock });
  const sentBack = createSlotQueue(stepMs, clock?.monotonicMs);
  return {
    takeOrDelayMs() {
      const slotWaitMs = limiter.waitMs('uploads');
      if (slotWaitMs === 0) {
        // Nothing was awaited in between, so the slot is still now.
        void limiter.take('uploads');
        return undefined;
      }
      // It comes back at its slot or in the second after it: before it, it would be sent back
      // behind all others.
      const delayMs = slotDelayMs({ slotWaitMs, waiting: sentBack.waiting(), spacingMs: stepMs, random: () => 0 });
      sentBack.sentBack();
      return delayMs;
    },
  };
}

/** Whether this upload is the one that may send this content. */
export type ContentReservation =
  | { readonly kind: 'mine' }
  /** Another upload made the dataset, or may have. */
  | { readonly kind: 'duplicate'; readonly of: UploadRow }
  /** Another upload of the same is under way: how it ends decides. */
  | { readonly kind: 'wait'; readonly why: string };

const mostLooks = 5;

/**
 * Reserves a request with its content for one upload, by one conditional write. It is made before
 * anything is read: content that no worker has sent yet is the rule. The place of an upload that
 * ended without a dataset is taken over. A reservation that is ours already is written again. A
 * worker that would take it over at this moment has read the older version, so one of the two
 * writes fails. An upload without a row may be about to be sent, so it keeps its place. While there
 * is no row, its own SENDING can still be written.
 */
export async function reserveDataset(
  ledger: Ledger,
  wanted: { readonly datasetKey: string; readonly uploadKey: string; readonly now: Date },
): Promise<ContentReservation> {
  const { datasetKey, uploadKey, now } = wanted;
  const mine: DatasetRow = { pk: datasetKey, kind: 'dataset', upload: uploadKey, expiresAt: expiryOf('dataset', now) };

  let held: Stored<DatasetRow> | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    if ((await ledger.write(held, mine)) !== undefined) return { kind: 'mine' };
    held = await ledger.read<DatasetRow>(datasetKey);
    if (held !== undefined && held.upload !== uploadKey) {
      const holder = await ledger.read<UploadRow>(held.upload);
      const claim = contentClaim(holder, datasetKey);
      if (claim === 'binds' && holder !== undefined) return { kind: 'duplicate', of: holder };
      if (claim !== 'free')
        return { kind: 'wait', why: `the same content is under way as ${holder?.key ?? held.upload}` };
    }
  }
  return { kind: 'wait', why: 'several uploads of the same content came at once' };
}
