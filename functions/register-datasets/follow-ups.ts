import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { instantOfWork } from '#shared/ledger/resolve-parked.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { isParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import type { RecordContext } from '../_handler/queue-worker.ts';
import { keyInTable } from '../_handler/observe.ts';
import type { Log } from '../_handler/log.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import type { UploadDeps } from './upload-work.ts';

type FollowUpContext = Pick<RecordContext, 'log' | 'now'>;

/**
 * What follows the outcome of an upload: the command of `thenStart`, the events. Made anew at every delivery of the message, under the
 * same ids, so that a death between the outcome and these loses nothing and doubles nothing.
 */
export async function followUp(deps: UploadDeps, row: UploadRow, { log, now }: FollowUpContext): Promise<void> {
  if (row.state === 'PARKED') return publishParked(deps, row, log);
  if (row.state !== 'APPLIED') return;
  const rule = chooseRule(deps.config.datasetRules, row.key);
  if (rule?.thenStart !== undefined) await sendStart(deps, row, rule.thenStart, { log, now });
  // Nothing was registered where the stage only observes.
  if (rule?.announce === true && deps.config.mode === 'act') await publishRegistered(deps, row, rule, log);
}

/**
 * The start that an upload brings about. The event's own time orders it among the wishes and lets it expire; where a person settled the
 * upload, the time of that decision.
 */
export function startAfterUpload(row: UploadRow, run: string, now: Date): CampaignRunCommand {
  return {
    version: 1,
    id: commandIds.upload(row.pk, run),
    action: 'start',
    run,
    issuedAt: instantOfWork({ since: row.eventTime, resolutions: row.resolutions }, now),
    origin: { kind: 'upload', name: row.key },
    reason: `dataset ${row.datasetId ?? ''} was registered`,
  };
}

async function sendStart(deps: UploadDeps, row: UploadRow, run: string, { log, now }: FollowUpContext): Promise<void> {
  const command = startAfterUpload(row, run, now());
  await deps.commands.send(JSON.stringify(command));
  log.info(logEvents.commandSent, `start of ${run} sent`, { commandId: command.id, run, key: row.key });
}

async function publishRegistered(deps: UploadDeps, row: UploadRow, rule: ResolvedDatasetRule, log: Log): Promise<void> {
  const { pk, bucket, key, versionId, datasetId, datasetName, checked, outcome } = row;
  const eventId = `${pk}:registered`;
  await deps.bus.publish(eventTypes.datasetRegistered, {
    eventId,
    ledgerKey: pk,
    datasetId,
    datasetName,
    bucket,
    key,
    versionId,
    rule: rule.prefix,
    checked,
    at: outcome?.at,
  });
  log.info(logEvents.eventPublished, eventTypes.datasetRegistered, { eventId });
}

async function publishParked(deps: UploadDeps, row: UploadRow, log: Log): Promise<void> {
  const { bucket, key, versionId, outcome } = row;
  const ledgerKey = keyInTable(deps.config.mode, row.pk);
  // Parked, repeated by a person and parked again is news: the instant tells the two apart.
  const eventId = `${ledgerKey}:parked:${outcome?.at ?? ''}`;
  const reason = outcome?.reason;
  await deps.bus.publish(eventTypes.workParked, {
    eventId,
    ledgerKey,
    worker: 'register-datasets',
    subject: key,
    bucket,
    versionId,
    reason,
    detail: outcome?.detail,
    nextStep: reason !== undefined && isParkReason(reason) ? parkReasons[reason].nextStep : undefined,
    at: outcome?.at,
  });
  log.info(logEvents.eventPublished, eventTypes.workParked, { eventId });
}
