import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { healsByItself, toError } from '#shared/errors/app-error.ts';
import { classifyFailure, datasetsPath, laterDelayMs, TokenUnavailableError } from '#shared/gateway-client/index.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { delayAtGateMs } from '../_gateway/gate.ts';
import { later, type RecordResult } from '../_handler/record-result.ts';
import { slotDelayMs, SlotTooFarError } from '../_gateway/rate-limiter.ts';
import { endWith, type LookAgain, parkUpload, readUpload } from './conclude.ts';
import { type Prepared, prepareUpload } from './prepare/prepare-upload.ts';
import { hasTimeToSend, leaseEnd, reserveDataset, type SendBudget } from './send/send-budget.ts';
import { sendDataset } from './send/send-dataset.ts';
import { triage, type UploadDeps, type UploadWork } from './upload-states.ts';
import {
  appliedRow,
  claimedRow,
  ignoredRow,
  inTable,
  readyRow,
  sendingRow,
  skippedRow,
  unwrittenClaim,
} from './upload-rows.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';

/**
 * Takes an upload that no worker holds: ends it at once if it is not ours, else claims and
 * registers it. A claim that is not written keeps no worker away: the first to write the next state
 * has the upload, the other looks again.
 */
export async function claimUpload(
  deps: UploadDeps,
  work: UploadWork,
  row: Stored<UploadRow> | undefined,
  { crashes, isWritten }: { readonly crashes: number; readonly isWritten: boolean },
): Promise<RecordResult | LookAgain> {
  const { object, context } = work;
  const found = triage(object, deps);
  if (found.kind === 'foreign') return parkUpload(deps, work, row, { reason: 'FOREIGN_EVENT', detail: found.detail });
  if (found.kind === 'ignore')
    return endWith(deps, work, row, ignoredRow({ object, row, now: context.now() }, found.detail));

  // Before the claim: an attempt that could not begin is none. First the gate, whose probe takes
  // time of ours.
  const budget = deps.budget(context.remainingMs());
  const waitMs = await deps.gate.waitMs(context.remainingMs);
  if (waitMs > 0) return later(atGateMs(waitMs, work, deps), atGate);
  const remainingMs = context.remainingMs();
  if (!hasTimeToSend(budget, remainingMs)) return later(0, tooLate);
  const now = context.now();
  const lease = { owner: context.attemptId, leaseUntil: leaseEnd(now, remainingMs) };
  const claim = claimedRow({ object, row, now }, { ...lease, crashes, ruleName: found.rule.prefix });
  const claimed = isWritten ? await deps.ledger.write(row, claim) : unwrittenClaim(claim);
  return claimed === undefined ? 'look-again' : registerClaimed(deps, work, claimed, { rule: found.rule, budget });
}

const tooLate = 'too little time left to send it';
const noSlot = 'other uploads have their slots first';
const overShare = 'the uploads of its rule take their whole share of the rate';
const atGate = 'no worker calls the gateway at the moment';

interface How {
  readonly rule: ResolvedDatasetRule;
  readonly budget: SendBudget;
}

/** Any failure before the request is sent proves that nothing was sent: the claim is given back. */
async function registerClaimed(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  how: How,
): Promise<RecordResult | LookAgain> {
  let ready: ReadyToSend | RecordResult | LookAgain;
  try {
    ready = await untilSending(deps, work, claimed, how);
  } catch (error) {
    const { name, message } = toError(error);
    const delayMs = laterDelayMs(work.record.receiveCount, deps.random);
    return release(deps, work, claimed, { delayMs, lastError: `${name}: ${message}` });
  }
  if (ready === 'look-again' || ready.kind !== 'send') return ready;
  const { sending, prepared } = ready;
  if (deps.config.mode === 'observe') return endWith(deps, work, sending, observedRow(work, sending, prepared));
  return sendDataset(deps, work, sending, { ...prepared, budget: how.budget });
}

/** All that is left to do if nothing is sent: to say what would have been sent. */
function observedRow({ object, context }: UploadWork, row: UploadRow, { fields, form }: PreparedRequest): UploadRow {
  const withFile = form === undefined ? '' : ' with the file itself';
  const detail = `would have sent: POST ${datasetsPath} ${JSON.stringify(fields)}${withFile}`;
  return appliedRow({ object, row, now: context.now() }, { detail });
}

type PreparedRequest = Extract<Prepared, { kind: 'request' }>;

interface ReadyToSend {
  readonly kind: 'send';
  readonly sending: Stored<UploadRow>;
  readonly prepared: PreparedRequest;
}

/**
 * Everything that can be done before the mark is done before the mark: what follows it may leave an
 * unknown.
 */
async function untilSending(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  how: How,
): Promise<ReadyToSend | RecordResult | LookAgain> {
  const { object, context, record } = work;
  const overShareMs = deps.shares.get(how.rule.prefix)?.takeOrDelayMs();
  if (overShareMs !== undefined) return release(deps, work, claimed, { delayMs: overShareMs, lastError: overShare });
  const since = claimed.openSince ?? context.now().toISOString();
  const prepared = await prepareUpload(deps, work, { rule: how.rule, since });
  if (prepared.kind === 'park') return parkUpload(deps, work, claimed, prepared);
  if (prepared.kind === 'wait') {
    return release(deps, work, claimed, { delayMs: prepared.delayMs, lastError: prepared.why });
  }
  if (prepared.kind === 'skip') {
    return endWith(deps, work, claimed, skippedRow({ object, row: claimed, now: context.now() }, prepared));
  }
  const { datasetKey } = prepared;
  const wanted = { datasetKey, uploadKey: claimed.pk, now: context.now() };
  const reservation = await reserveDataset(deps.ledger, wanted);
  if (reservation.kind === 'duplicate') return skip(deps, work, claimed, { datasetKey, of: reservation.of });
  if (reservation.kind === 'wait') {
    return release(deps, work, claimed, {
      delayMs: waitForOtherMs(record.receiveCount, deps),
      lastError: reservation.why,
    });
  }

  return markSending(deps, work, claimed, { prepared, budget: how.budget });
}

/** The last that can be waited for, then the mark. */
async function markSending(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  { prepared, budget }: { readonly prepared: PreparedRequest; readonly budget: SendBudget },
): Promise<ReadyToSend | RecordResult | LookAgain> {
  const { object, context } = work;
  await tokenReady(deps, claimed.pk);
  const slotWaitMs = await slotTaken(deps, context.remainingMs() - budget.postMs - budget.ledgerMs);
  if (slotWaitMs !== undefined) {
    return release(deps, work, claimed, { delayMs: atSlotMs(slotWaitMs, deps), lastError: noSlot });
  }
  const waitMs = await deps.gate.waitMs(context.remainingMs);
  if (waitMs > 0) {
    return release(deps, work, claimed, { delayMs: atGateMs(waitMs, work, deps), lastError: atGate });
  }
  const remainingMs = context.remainingMs();
  if (!hasTimeToSend(budget, remainingMs)) return release(deps, work, claimed, { delayMs: 0, lastError: tooLate });

  const { fields, datasetKey, checked } = prepared;
  const now = context.now();
  const lease = { owner: context.attemptId, leaseUntil: leaseEnd(now, remainingMs) };
  const marked = sendingRow(
    { object, row: claimed, now },
    { ...lease, datasetKey, datasetName: fields.name ?? fields.fileId, ...(checked === undefined ? {} : { checked }) },
  );
  const sending = await deps.ledger.write(inTable(claimed), marked);
  return sending === undefined ? 'look-again' : { kind: 'send', sending, prepared };
}

/**
 * Waits for a slot; answers how far it is if it comes too late for a POST in this attempt, and
 * takes none then.
 */
async function slotTaken({ pace }: UploadDeps, longestMs: number): Promise<number | undefined> {
  try {
    await pace(longestMs);
    return undefined;
  } catch (error) {
    if (error instanceof SlotTooFarError) return error.waitMs;
    throw error;
  }
}

function atSlotMs(slotWaitMs: number, { slotQueue, random }: UploadDeps): number {
  const delayMs = slotDelayMs({ slotWaitMs, waiting: slotQueue.waiting(), spacingMs: slotQueue.spacingMs, random });
  slotQueue.sentBack();
  return delayMs;
}

function atGateMs(waitMs: number, { record }: UploadWork, { random }: UploadDeps): number {
  return delayAtGateMs(waitMs, laterDelayMs(record.receiveCount, random), random);
}

/** Soon at first: the other one is usually done within seconds. */
function waitForOtherMs(receiveCount: number, { random }: UploadDeps): number {
  return Math.round(laterDelayMs(receiveCount, random) / 10);
}

/**
 * Fetches the token before the mark. If a person must put one there first, the other messages need
 * not find that out one by one.
 */
async function tokenReady(deps: UploadDeps, about: string): Promise<void> {
  try {
    await deps.token.get();
  } catch (error) {
    const failure = new TokenUnavailableError(toError(error), { retryable: healsByItself(error) });
    await deps.gate.failed(classifyFailure('post', failure), about);
    throw error;
  }
}

async function skip(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  duplicate: { readonly datasetKey: string; readonly of: UploadRow },
): Promise<RecordResult | LookAgain> {
  const { key, versionId, datasetId, isObserved } = duplicate.of;
  const other = `${key}${versionId === undefined ? '' : ` (version ${versionId})`}`;
  const detail =
    datasetId === undefined
      ? isObserved === true
        ? `the same request with the same bytes would have been sent for ${other}`
        : `the same request with the same bytes was sent for ${other}; whether its dataset exists is not known yet`
      : `dataset ${datasetId} was made of the same request with the same bytes, for ${other}`;
  const { datasetKey } = duplicate;
  const base = { object: work.object, row: claimed, now: work.context.now() };
  const found = { datasetKey, datasetId };
  return endWith(deps, work, claimed, skippedRow(base, { reason: 'DUPLICATE_CONTENT', detail }, found));
}

/**
 * Gives an upload back of which nothing was sent: it is READY for its next delivery, and the
 * attempt is no crash. If that cannot be written, the lease ends by itself. The row decides, not
 * what this attempt knows of it: an answer to a write of its own may have been lost.
 */
export async function release(
  deps: UploadDeps,
  work: UploadWork,
  claimed: Stored<UploadRow>,
  why: { readonly delayMs: number; readonly lastError: string },
): Promise<RecordResult> {
  const { context, object } = work;
  try {
    const row = (await readUpload(deps, work)) ?? claimed;
    if (row.owner === context.attemptId && (row.state === 'CLAIMED' || row.state === 'SENDING')) {
      await deps.ledger.write(inTable(row), readyRow({ object, row, now: context.now() }, why));
    }
  } catch (error) {
    context.log.warn(logEvents.failed, 'the claim could not be given back; its lease ends by itself', {
      key: object.key,
      error: toError(error),
    });
  }
  return later(why.delayMs, why.lastError);
}
