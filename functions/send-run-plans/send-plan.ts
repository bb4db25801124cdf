import type { ObjectStore } from '#shared/aws/object-store.ts';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import { AppError, toError } from '#shared/errors/app-error.ts';
import { nextAttempt, withoutAttempt } from '#shared/ledger/attempt-mark.ts';
import { cappedDetail, isPastHorizon, listedDetail, parkedWork } from '#shared/ledger/open-rows.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { instantOfWork } from '#shared/ledger/resolve-parked.ts';
import type { PlanRow } from '#shared/ledger/rows/message-row.ts';
import { expiryOf, ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { isParkReason, type ParkReason, parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { later, type Outcome, type RecordResult } from '../_handler/record-result.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-record.ts';
import { reportOnce } from '../_handler/worker-reports.ts';
import { checkPlan } from './check-plan.ts';

/** What the worker needs of the world. */
export interface SendPlanDeps {
  /** Our bucket: events about another one are not ours. */
  readonly bucket: string;
  readonly config: ConfigPart<'send-run-plans'>;
  readonly ledger: Ledger;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomePublisher;
  readonly random: () => number;
}

/** A hundred commands with long reasons are far below. */
const maxPlanBytes = 256 * 1024;

/** How a plan ended, before it is written down. */
type Conclusion =
  | { readonly kind: 'applied'; readonly commands: readonly CampaignRunCommand[] }
  | { readonly kind: 'parked'; readonly reason: ParkReason; readonly detail: string };

/**
 * Sends the commands of one object version, all of them or none, and notes it in the ledger. The
 * ids of the commands are made of the plan's bytes. So after a crash, or from a second upload of
 * the same plan, the same commands are sent.
 */
export async function sendPlan(
  object: ObjectCreated,
  record: QueueRecord,
  context: RecordContext,
  deps: SendPlanDeps,
): Promise<RecordResult> {
  const pk = ledgerKeys.plan(object.bucket, object.key, object.versionKey);
  const row = await deps.ledger.read<PlanRow>(pk);
  const delivery = { record, context, random: deps.random };
  if (row?.outcome !== undefined) return concludePlan(row, { isRepeat: true }, delivery, deps);

  const attempt = await beginAttempt({ pk, object, record, context, row }, deps);
  if ('result' in attempt) return attempt.result;
  const conclusion = 'crashes' in attempt ? crashLoop(attempt.crashes) : await attemptPlan(attempt, deps);
  const written = await deps.ledger.write<PlanRow>(attempt.row, concludedItem(attempt, conclusion));
  if (written === undefined) {
    throw new AppError(`the row ${pk} of a run plan changed under us; its next delivery reads it again`, {
      code: 'ROW_CHANGED',
      retryable: true,
    });
  }
  return concludePlan(written, { isRepeat: false }, delivery, deps);
}

/** Examines and sends. What fails comes again, for a day. */
async function attemptPlan(work: PlanWork, deps: SendPlanDeps): Promise<Conclusion> {
  const { object, record, context, row } = work;
  try {
    const conclusion = await examine(object, row, context, deps);
    if (conclusion.kind === 'applied') await sendAll(conclusion.commands, context, deps);
    return conclusion;
  } catch (error) {
    if (!isPastHorizon(record.sentAt, context.now())) {
      await noteEnd(work, deps);
      throw error;
    }
    const { name, message } = toError(error);
    return {
      kind: 'parked',
      reason: 'HORIZON_EXCEEDED',
      detail: `not done within a day, some of its commands may have been sent; last: ${name}: ${message}`,
    };
  }
}

function crashLoop(crashes: number): Conclusion {
  const detail = `${crashes} attempts started and never said how they ended; some of its commands may have been sent`;
  return { kind: 'parked', reason: 'CRASH_LOOP', detail };
}

/** Reads and checks the plan; makes no effect. */
async function examine(
  object: ObjectCreated,
  row: PlanRow | undefined,
  context: RecordContext,
  deps: SendPlanDeps,
): Promise<Conclusion> {
  if (object.sizeBytes > maxPlanBytes) return tooLarge(object.sizeBytes);
  const bytes = await deps.objects.read(object);
  if (bytes === undefined) {
    const detail = `version ${object.versionId ?? 'without an id'} of ${object.key} is not there any more`;
    return { kind: 'parked', reason: 'OBJECT_GONE', detail };
  }
  if (bytes.byteLength > maxPlanBytes) return tooLarge(bytes.byteLength);

  const { runNames } = deps.config;
  const now = context.now();
  const checked = checkPlan(bytes, {
    key: object.key,
    issuedAt: instantOfWork({ since: object.eventTime, resolutions: row?.resolutions }, now),
    now,
    runNames,
  });
  if (checked.ok) return { kind: 'applied', commands: checked.commands };
  return { kind: 'parked', reason: 'BAD_PLAN', detail: listedDetail(checked.problems, 'problems') };
}

function tooLarge(sizeBytes: number): Conclusion {
  const detail = `the plan has ${sizeBytes} bytes, at most ${maxPlanBytes} are read`;
  return { kind: 'parked', reason: 'OBJECT_TOO_LARGE', detail };
}

async function sendAll(
  commands: readonly CampaignRunCommand[],
  { log }: RecordContext,
  deps: Pick<SendPlanDeps, 'commands'>,
): Promise<void> {
  for (const command of commands) {
    await deps.commands.send(JSON.stringify(command));
    const { id, action, run, campaignRunId } = command;
    log.info(logEvents.commandSent, `${action} of ${run ?? campaignRunId} sent`, {
      commandId: id,
      action,
      run,
      campaignRunId,
    });
  }
}

function concludedItem(work: PlanWork, conclusion: Conclusion): PlanRow {
  const { record, context } = work;
  const now = context.now();
  const at = now.toISOString();
  const base = withoutAttempt(planRow(work));
  if (conclusion.kind === 'parked') {
    const { kind, reason, detail } = conclusion;
    const parked = parkedWork(record, 'plans', now);
    // Without an expiry: it stays until a person has decided.
    const { expiresAt: _expiresAt, ...kept } = base;
    return {
      ...kept,
      outcome: { kind, reason, detail: cappedDetail(detail), at },
      parked,
      openState: 'PARKED',
      openSince: at,
    };
  }
  const commandIds = conclusion.commands.map(({ id }) => id);
  const detail = commandIds.length === 1 ? '1 command sent' : `${commandIds.length} commands sent`;
  return { ...base, commandIds, outcome: { kind: 'applied', detail, at }, expiresAt: expiryOf('plan', now) };
}

/**
 * The follow-ups of a recorded outcome, the same each time: a parked plan is published on the bus.
 */
async function concludePlan(
  { pk: subject, key, outcome, commandIds }: Stored<PlanRow>,
  { isRepeat }: { readonly isRepeat: boolean },
  delivery: Parameters<typeof reportOnce>[2],
  { bus }: SendPlanDeps,
): Promise<RecordResult> {
  const { kind = 'applied', reason, detail, at } = outcome ?? {};
  const followUp = async () => {
    if (kind !== 'parked') return;
    // With its instant: a plan that a person repeats may be parked a second time, and that is news.
    const nextStep = reason !== undefined && isParkReason(reason) ? parkReasons[reason].nextStep : undefined;
    await bus.publish(eventTypes.workParked, { eventId: `${subject}@${at}`, subject, key, reason, detail, nextStep });
  };
  const reported: Outcome = {
    kind,
    subject: key,
    reason,
    detail,
    fields: { commandIds },
  };
  return reportOnce(reported, { isRepeat, followUp }, delivery);
}

/** One plan at work: the object version, its message, and its row. */
export interface PlanWork {
  readonly pk: string;
  readonly object: ObjectCreated;
  readonly record: QueueRecord;
  readonly context: RecordContext;
  readonly row: Stored<PlanRow> | undefined;
}

/** A plan is sent within seconds. */
const shortWaitMs = 2000;

/**
 * Leaves the mark of this attempt if it is not the first; a plan whose attempts died is handed back
 * with their number.
 */
export async function beginAttempt(
  work: PlanWork,
  { ledger }: Pick<SendPlanDeps, 'ledger'>,
): Promise<PlanWork | (PlanWork & { readonly crashes: number }) | { readonly result: RecordResult }> {
  const { context, record, row } = work;
  const { receiveCount } = record;
  const owner = context.attemptId;
  const step = nextAttempt(row, { owner, now: context.now(), remainingMs: context.remainingMs(), receiveCount });
  if (step.kind === 'crash-loop') return { ...work, crashes: step.crashes };
  if (step.kind === 'wait') {
    return { result: later(Math.min(step.delayMs, shortWaitMs), 'another attempt is at this plan') };
  }
  if (step.mark === undefined) return work;
  const marked = await ledger.write<PlanRow>(row, { ...planRow(work), attempt: step.mark });
  return marked === undefined
    ? { result: later(shortWaitMs, 'the row of this plan changed under us') }
    : { ...work, row: marked };
}

/**
 * Says that an attempt ended, though without an outcome. If that cannot be written, the attempt
 * looks like one that died.
 */
export async function noteEnd(work: PlanWork, { ledger }: Pick<SendPlanDeps, 'ledger'>): Promise<void> {
  const { row, context } = work;
  if (row !== undefined && row.attempt === undefined) return;
  try {
    await ledger.write<PlanRow>(row, withoutAttempt(planRow(work)));
  } catch (error) {
    context.log.warn(logEvents.failed, 'the end of an attempt could not be noted', { error: toError(error) });
  }
}

/** The row of a plan that has no outcome yet. */
export function planRow({ pk, object, row, context }: PlanWork): PlanRow {
  const { bucket, key, versionId } = object;
  return {
    pk,
    kind: 'plan',
    bucket,
    key,
    versionId,
    attempt: row?.attempt,
    resolutions: row?.resolutions,
    expiresAt: expiryOf('plan', context.now()),
  };
}
