import { toError } from '#shared/errors/app-error.ts';
import { laterDelayMs } from '#shared/gateway-client/retry-timing.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { type RecentOutcome, rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { done, later, type Outcome, type RecordDelivery, type RecordResult } from './queue-record.ts';
import type { Log, Metrics } from './function-log.ts';

/**
 * What a worker says of its work: one log line and one count for each outcome, and the list that
 * `autopilot status` shows.
 */
export interface WorkerReports {
  readonly log: Log;
  /**
   * Reports the outcomes of one batch and how many messages went back. Never throws: the outcomes
   * are in the ledger already.
   */
  readonly reportBatch: (outcomes: readonly Outcome[], laterCount: number) => Promise<void>;
  readonly count: Metrics['count'];
  readonly level: Metrics['level'];
}

/** Builds the reports of one function. */
export function createWorkerReports(options: {
  readonly functionName: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly ledger: Ledger;
  readonly now: () => Date;
}): WorkerReports {
  const { log, ledger, now } = options;
  const { count, level, publish } = options.metrics;

  return {
    log,
    count,
    level,
    async reportBatch(outcomes, laterCount) {
      for (const outcome of outcomes) {
        count(metricNames[outcome.kind], 1);
        if (outcome.reason === 'MISSED_WINDOW') count(metricNames.missedWindow, 1);
        if (outcome.isLogged !== true) logOutcome(log, outcome);
      }
      if (laterCount > 0) count(metricNames.later, laterCount);
      publish();

      if (outcomes.length === 0) return;
      const at = now().toISOString();
      const { functionName } = options;
      // Runs are shown by their own rows: of a command only the version of the list tells that something ended.
      const listed = functionName === 'update-campaign-runs' ? [] : outcomes;
      const recent = listed.map((outcome) => recentOf(outcome, functionName, at));
      await noteOutcomes(ledger, recent, log);
    },
  };
}

/** What was done as it was asked for needs no more than its name; anything else says why. */
function recentOf({ kind, subject, title, reason, detail }: Outcome, worker: string, at: string): RecentOutcome {
  const known = { kind, subject: title ?? subject, worker, at };
  return kind === 'applied' ? known : { ...known, reason, detail };
}

/** For `autopilot status`; losing it loses nothing else. */
export async function noteOutcomes(
  ledger: Ledger,
  outcomes: readonly RecentOutcome[],
  log: Pick<Log, 'warn'>,
): Promise<void> {
  await rememberRecentOutcomes(ledger, outcomes).catch((error: unknown) => {
    log.warn(logEvents.failed, 'the list of recent outcomes could not be written', { error: toError(error) });
  });
}

function logOutcome(log: Log, { kind: outcome, subject, reason, detail, fields }: Outcome): void {
  const sentence = [outcome, reason, subject].filter((word) => word !== undefined).join(' ');
  const level = outcome === 'parked' ? 'error' : 'info';
  log[level](logEvents.outcome, sentence, { outcome, subject, reason, detail, ...fields });
}

/**
 * Makes the follow-ups of an outcome in the ledger, and reports it. Only the delivery that recorded
 * the outcome reports it, also if a follow-up fails and the message comes back.
 * @param isRepeat - an earlier delivery recorded the outcome and has reported it
 * @example return reportOnce(outcome, { isRepeat: false, followUp: () => bus.publish(…) }, { record, context, random });
 */
export async function reportOnce(
  outcome: Outcome,
  work: { readonly isRepeat: boolean; readonly followUp: () => Promise<unknown> },
  { record, context, random }: RecordDelivery & { readonly random: () => number },
): Promise<RecordResult> {
  const fresh = work.isRepeat ? [] : [outcome];
  try {
    await work.followUp();
  } catch (error) {
    return { ...backAfter(error, 'a follow-up', { record, context, random }), outcomes: fresh };
  }
  const { kind, subject, reason } = outcome;
  const fields = { messageId: record.messageId, subject, outcome: kind, reason };
  if (work.isRepeat) context.log.info(logEvents.repeated, 'its outcome is recorded already', fields);
  return done(...fresh);
}

/**
 * An error is no outcome: it is logged, and the message goes back for its back-off.
 * @param what - what failed, as the line says it
 */
export function backAfter(
  error: unknown,
  what: 'attempt' | 'a follow-up',
  { record, context, random }: RecordDelivery & { readonly random: () => number },
): RecordResult {
  const { name, message } = toError(error);
  context.log.error(logEvents.failed, `${what} failed: ${message}`, { messageId: record.messageId, name });
  return later(laterDelayMs(record.receiveCount, random), `${name}: ${message}`);
}
