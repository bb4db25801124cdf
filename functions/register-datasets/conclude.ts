import type { OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { parkedWork } from '#shared/ledger/rows/message-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import { nextStepOf } from '#shared/uploads/locked-field.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Outcome, RecordContext, RecordResult } from '../_handler/queue-record.ts';
import type { Log } from '../_handler/function-log.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import { inTable, parkedRow, type WhyParked } from './upload-rows.ts';
import type { LookAgain, Upload, UploadDeps } from './upload.ts';

type Ended = UploadRow & { readonly outcome: RecordedOutcome };

/** Makes the follow-ups of a row that has its outcome, and answers that outcome; one that an earlier delivery recorded is not reported again. */
export async function conclude(upload: Upload, row: Ended, { isRepeat } = { isRepeat: false }): Promise<RecordResult> {
  const { deps, record, context } = upload;
  const work = { isRepeat, followUp: () => followUp(deps, row, context) };
  return reportOnce(outcomeOf(deps, row), work, { record, context, random: deps.random });
}

/** Writes the row that carries the outcome, then concludes. */
export async function endWith(upload: Upload, ending: UploadRow): Promise<RecordResult | LookAgain> {
  const written = await upload.deps.ledger.write(inTable(upload.row), ending);
  if (written === undefined || !hasOutcome(written)) return 'look-again';
  return conclude(upload, written);
}

/** Parks the upload with its message. */
export async function parkUpload(upload: Upload, why: WhyParked): Promise<RecordResult | LookAgain> {
  const { row, record, context } = upload;
  // Of this very request; what an earlier one left behind, before a person ordered the repeat, is no evidence of this one.
  const evidence = row?.state === 'UNKNOWN' ? evidenceIn(row) : {};
  const kept = { ...parkedWork(record, 'uploads', context.now()), ...evidence };
  return endWith(upload, parkedRow(upload, why, kept));
}

/** Says whether a row carries its outcome. */
export function hasOutcome<Row extends UploadRow>(row: Row): row is Row & { readonly outcome: RecordedOutcome } {
  return row.outcome !== undefined;
}

/** What an earlier attempt found out, without the message of that delivery. */
function evidenceIn({ parked }: UploadRow) {
  if (parked === undefined) return {};
  const { httpStatus, errorCode, causeCode, requestSent, requestId, speaker, lookFor, answer } = parked;
  return { httpStatus, errorCode, causeCode, requestSent, requestId, speaker, lookFor, answer };
}

function outcomeOf({ config: { mode } }: UploadDeps, row: Ended): Outcome {
  const { pk: ledgerKey, key: subject, versionId, datasetId, datasetName } = row;
  const { kind, reason, detail } = row.outcome;
  const fields = { ledgerKey, isObserved: mode === 'observe' ? true : undefined, versionId, datasetId, datasetName };
  // The line dataset_created, with what the gateway answered.
  const isLogged = kind === 'applied' && datasetId !== undefined;
  return { kind, subject, reason, detail, fields, isLogged };
}

type FollowUpContext = Pick<RecordContext, 'log' | 'now'>;

/**
 * What follows the outcome of an upload: the command of `thenStart`, the events. Made again at
 * every delivery of the message, under the same ids. So a death between the outcome and these loses
 * nothing and doubles nothing.
 */
async function followUp(deps: UploadDeps, row: Ended, { log, now }: FollowUpContext): Promise<void> {
  if (row.state === 'PARKED') return publish(deps, eventTypes.workParked, parkedEvent(row), log);
  if (row.state !== 'APPLIED') return;
  const rule = chooseRule(deps.config.datasetRules, row.key);
  if (rule?.thenStart !== undefined) await sendStart(deps, row, rule.thenStart, { log, now });
  // A stage that only observes has registered nothing.
  if (rule?.announce !== true || deps.config.mode !== 'act') return;
  await publish(deps, eventTypes.datasetRegistered, registeredEvent(row, rule), log);
}

async function publish({ bus }: UploadDeps, type: EventType, event: OutcomeEvent, log: Log): Promise<void> {
  await bus.publish(type, event);
  log.info(logEvents.eventPublished, type, { eventId: event.eventId });
}

/** The start that an upload brings about. */
function startAfterUpload(row: UploadRow, run: string, now: Date): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.upload(row.pk, run),
    action: 'start',
    run,
    issuedAt: instantOfWork(row, now),
    origin: { kind: 'upload', name: row.key },
    reason: `dataset ${row.datasetId ?? ''} was registered`,
  };
}

/**
 * The time of its event, or of a person's last decision, orders the start and lets it expire. So an
 * upload that is settled hours later still starts its run. A person's clock may be wrong: never
 * later than now, never before the event.
 */
export function instantOfWork({ eventTime, resolutions }: Pick<UploadRow, 'eventTime' | 'resolutions'>, now: Date) {
  const decidedAt = resolutions?.at(-1)?.at;
  if (decidedAt === undefined) return eventTime;
  const notAhead = Math.min(Date.parse(decidedAt), now.getTime());
  return notAhead > Date.parse(eventTime) ? new Date(notAhead).toISOString() : eventTime;
}

async function sendStart(deps: UploadDeps, row: UploadRow, run: string, { log, now }: FollowUpContext): Promise<void> {
  const command = startAfterUpload(row, run, now());
  await deps.commands.send(JSON.stringify(command));
  log.info(logEvents.commandSent, `start of ${run} sent`, { commandId: command.id, run, key: row.key });
}

function registeredEvent(row: Ended, { prefix: rule }: ResolvedDatasetRule): OutcomeEvent {
  const { pk: ledgerKey, bucket, key, versionId, datasetId, datasetName, checked } = row;
  const about = { ledgerKey, datasetId, datasetName, bucket, key, versionId, rule, checked, at: row.outcome.at };
  return { eventId: `${ledgerKey}:registered`, ...about };
}

function parkedEvent({ pk: ledgerKey, bucket, key: subject, versionId, outcome }: Ended): OutcomeEvent {
  const { reason, detail, at } = outcome;
  const about = { ledgerKey, worker: 'register-datasets', subject, bucket, versionId, reason, detail, at };
  // Parked, repeated by a person and parked again is news: the instant tells the two apart.
  return { eventId: `${ledgerKey}:parked:${at}`, ...about, nextStep: nextStepOf(outcome) };
}
