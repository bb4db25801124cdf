import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { healsByItself, toError } from '#shared/errors/app-error.ts';
import { classifyFailure, datasetsPath, laterDelayMs, TokenUnavailableError } from '#shared/gateway-client/index.ts';
import type { DatasetRow, UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { delayAtGateMs } from '../_gateway/gate.ts';
import { SlotTooFarError } from '../_gateway/rate-limiter.ts';
import { later, type RecordResult } from '../_handler/queue-record.ts';
import { endWith, parkUpload } from './conclude.ts';
import { type Prepared, prepareUpload } from './prepare-upload.ts';
import { sendDataset } from './send-dataset.ts';
import { type LookAgain, NotNow, type PostingGateway, type Upload, type UploadWithRow } from './upload.ts';
import { contentClaim, triage } from './upload-states.ts';
import { appliedRow, endedRow, inTable, movedRow, readUpload, readyRow, unwrittenClaim } from './upload-rows.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { expiryOf } from '#shared/ledger/rows/row-keys.ts';

/**
 * Takes an upload that no worker holds: ends it at once if it is not ours, else claims and
 * registers it. A claim that is not written keeps no worker away: the first to write the next state
 * has the upload, the other looks again.
 */
export async function claimUpload(
  upload: Upload,
  { crashes, isWritten }: { readonly crashes: number; readonly isWritten: boolean },
): Promise<RecordResult | LookAgain> {
  const { deps, context } = upload;
  const found = triage(upload.object, deps);
  if (found.kind === 'foreign') return parkUpload(upload, { reason: 'FOREIGN_EVENT', detail: found.detail });
  if (found.kind === 'ignore') return endWith(upload, endedRow(upload, 'IGNORED', found));

  const within = deps.gatewayWithin(context.remainingMs());
  let claimed: UploadWithRow | undefined;
  let ready: ReadyToSend | RecordResult | LookAgain;
  try {
    // Before the claim: an attempt that could not begin is none.
    await mayCall(upload, within);
    claimed = await claim(upload, { crashes, ruleName: found.rule.prefix }, isWritten);
    ready = claimed === undefined ? 'look-again' : await untilSending(claimed, { rule: found.rule, within });
  } catch (error) {
    return release(upload, claimed, error);
  }
  if (ready === 'look-again' || ready.kind !== 'send') return ready;
  const { sending, prepared } = ready;
  if (deps.config.mode === 'observe') return endWith(sending, observedRow(sending, prepared));
  return sendDataset(sending, prepared, within);
}

/** Throws NotNow if the gate is closed, or if too little time is left. First the gate, whose probe takes time of ours. */
async function mayCall({ deps, record, context }: Upload, { callBudgetMs }: PostingGateway): Promise<void> {
  const waitMs = await deps.gate.waitMs(context.remainingMs, context.attemptId);
  if (waitMs > 0) {
    const delayMs = delayAtGateMs(waitMs, laterDelayMs(record.receiveCount, deps.random), deps.random);
    throw new NotNow(delayMs, 'no worker calls the gateway at the moment');
  }
  if (context.remainingMs() < callBudgetMs) throw new NotNow(0, 'too little time left to send it');
}

async function claim(
  upload: Upload,
  claimOf: Pick<UploadRow, 'crashes' | 'ruleName'>,
  isWritten: boolean,
): Promise<UploadWithRow | undefined> {
  const attempts = (upload.row?.attempts ?? 0) + 1;
  const claimed = movedRow(upload, 'CLAIMED', { ...leaseOf(upload), ...claimOf, attempts });
  const row = isWritten ? await upload.deps.ledger.write(upload.row, claimed) : unwrittenClaim(claimed);
  return row && { ...upload, row };
}

/** Clocks differ and a cut function lingers: a lease outlives its attempt by this much. */
const leaseMarginMs = 30_000;

function leaseOf({ context: { attemptId: owner, now, remainingMs } }: Upload) {
  return { owner, leaseUntil: new Date(now().getTime() + remainingMs() + leaseMarginMs).toISOString() };
}

/** All that is left to do if nothing is sent: to say what would have been sent. */
function observedRow(sending: UploadWithRow, { fields, form }: PreparedRequest): UploadRow {
  const withFile = form === undefined ? '' : ' with the file itself';
  const detail = `would have sent: POST ${datasetsPath} ${JSON.stringify(fields)}${withFile}`;
  return appliedRow(sending, { detail });
}

type PreparedRequest = Extract<Prepared, { kind: 'request' }>;

interface ReadyToSend {
  readonly kind: 'send';
  readonly sending: UploadWithRow;
  readonly prepared: PreparedRequest;
}

/**
 * Everything that can be done before the mark is done before the mark: what follows it may leave an
 * unknown. Any error proves that nothing was sent.
 */
async function untilSending(
  claimed: UploadWithRow,
  { rule, within }: { readonly rule: ResolvedDatasetRule; readonly within: PostingGateway },
): Promise<ReadyToSend | RecordResult | LookAgain> {
  const prepared = await prepareUpload(claimed, rule);
  if (prepared.kind === 'park') return parkUpload(claimed, prepared);
  if (prepared.kind === 'skip') return endWith(claimed, endedRow(claimed, 'SKIPPED', prepared));
  const { datasetKey } = prepared;
  const other = await reserveDataset(claimed, datasetKey);
  if (other !== undefined) {
    const why = { reason: 'DUPLICATE_CONTENT', detail: duplicateDetail(other) } as const;
    return endWith(claimed, endedRow(claimed, 'SKIPPED', why, { datasetKey, datasetId: other.datasetId }));
  }
  await tokenReady(claimed);
  await slotTaken(claimed, within);
  await mayCall(claimed, within);
  return markSending(claimed, prepared);
}

async function markSending(claimed: UploadWithRow, prepared: PreparedRequest): Promise<ReadyToSend | LookAgain> {
  const { fields, datasetKey, checked } = prepared;
  const datasetName = fields.name ?? fields.fileId;
  const sentAt = claimed.context.now().toISOString();
  const marked = movedRow(claimed, 'SENDING', { ...leaseOf(claimed), datasetKey, datasetName, checked, sentAt });
  const row = await claimed.deps.ledger.write(inTable(claimed.row), marked);
  return row === undefined ? 'look-again' : { kind: 'send', sending: { ...claimed, row }, prepared };
}

/**
 * Waits for a slot. One that comes too late for a POST in this attempt is not taken: the message
 * comes back for another. Those that wait are spread over the time between two slots.
 */
async function slotTaken({ deps, context }: Upload, { callBudgetMs }: PostingGateway): Promise<void> {
  try {
    await deps.pace(context.remainingMs() - callBudgetMs);
  } catch (error) {
    if (!(error instanceof SlotTooFarError)) throw error;
    throw new NotNow(error.waitMs * (1 + deps.random()), 'other uploads have their slots first');
  }
}

/**
 * Fetches the token before the mark. If a person must put one there first, the other messages need
 * not find that out one by one.
 */
async function tokenReady({ deps, row }: UploadWithRow): Promise<void> {
  try {
    await deps.token.get();
  } catch (error) {
    const failure = new TokenUnavailableError(toError(error), { retryable: healsByItself(error) });
    await deps.gate.failed(classifyFailure('post', failure), row.pk);
    throw error;
  }
}

function duplicateDetail({ key, versionId, datasetId, isObserved }: UploadRow): string {
  const other = `${key}${versionId === undefined ? '' : ` (version ${versionId})`}`;
  if (datasetId !== undefined)
    return `dataset ${datasetId} was made of the same request with the same bytes, for ${other}`;
  return isObserved === true
    ? `the same request with the same bytes would have been sent for ${other}`
    : `the same request with the same bytes was sent for ${other}; whether its dataset exists is not known yet`;
}

/**
 * Gives an upload back of which nothing was sent: it is READY for its next delivery, and the
 * attempt is no crash. If that cannot be written, the lease ends by itself. The row decides, not
 * what this attempt knows of it: an answer to a write of its own may have been lost.
 * @param claimed - `undefined`: nothing was claimed, so nothing has to be given back
 */
async function release(upload: Upload, claimed: UploadWithRow | undefined, caught: unknown): Promise<RecordResult> {
  const { deps, record, context, object } = upload;
  const error = toError(caught);
  const isNotNow = error instanceof NotNow;
  if (claimed === undefined && !isNotNow) throw error;
  const delayMs = isNotNow ? error.delayMs : laterDelayMs(record.receiveCount, deps.random);
  const why = isNotNow ? error.message : `${error.name}: ${error.message}`;
  if (claimed === undefined) return later(delayMs, why);
  try {
    const row = (await readUpload(upload)) ?? claimed.row;
    if (row.owner === context.attemptId && (row.state === 'CLAIMED' || row.state === 'SENDING')) {
      await deps.ledger.write(inTable(row), readyRow({ ...upload, row }, delayMs, { lastError: why }));
    }
  } catch (failure) {
    context.log.warn(logEvents.failed, 'the claim could not be given back; its lease ends by itself', {
      key: object.key,
      error: toError(failure),
    });
  }
  return later(delayMs, why);
}

const mostLooks = 5;

/**
 * Reserves a request with its content for one upload, by one conditional write. It is made before
 * anything is read: content that no worker has sent yet is the rule. The place of an upload that
 * ended without a dataset is taken over. A reservation that is ours already is written again. A
 * worker that would take it over at this moment has read the older version, so one of the two
 * writes fails. An upload without a row may be about to be sent, so it keeps its place. While there
 * is no row, its own SENDING can still be written.
 * @returns the upload that made the dataset, or may have; `undefined`: the content is reserved
 * @throws NotNow if another upload of the same content is under way: how it ends decides
 */
async function reserveDataset(upload: UploadWithRow, datasetKey: string): Promise<UploadRow | undefined> {
  const { deps, row, context } = upload;
  const { ledger } = deps;
  const expiresAt = expiryOf('dataset', context.now());
  const mine: DatasetRow = { pk: datasetKey, kind: 'dataset', upload: row.pk, expiresAt };

  let held: Stored<DatasetRow> | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    if ((await ledger.write(held, mine)) !== undefined) return undefined;
    held = await ledger.read<DatasetRow>(datasetKey);
    if (held === undefined || held.upload === row.pk) continue;
    const holder = await ledger.read<UploadRow>(held.upload);
    const its = contentClaim(holder, datasetKey);
    if (its === 'binds' && holder !== undefined) return holder;
    if (its !== 'free') throw notBefore(upload, `the same content is under way as ${holder?.key ?? held.upload}`);
  }
  throw notBefore(upload, 'several uploads of the same content came at once');
}

/** Soon at first: the other one is usually done within seconds. */
function notBefore({ deps, record }: UploadWithRow, why: string): NotNow {
  return new NotNow(Math.round(laterDelayMs(record.receiveCount, deps.random) / 10), why);
}
