/**
 * Trigger: every dead-letter queue: what SQS gave up after too many deliveries, and what Scheduler
 *   could not deliver.
 * Input: any message.
 * Effects: one parked ledger row for each message (WORKER_DIED, with the message) and one
 *   WorkParked event under the row's key. Idempotent by queue and message id. In `mode: 'observe'`
 *   rows of their own.
 * On failure: the message stays in its dead-letter queue and comes again after that queue's own
 *   visibility timeout.
 * Alarms, each a heading of docs/runbook.md: DeadLettersWaiting.
 */
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { lazily } from '#shared/aws/client-settings.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { readSenders } from '#shared/messages/command-senders.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_handler/handlers.ts';
import { openLedger } from '../_handler/stage-ledger.ts';
import { parkDeadLetter, queueOfDeadLetters } from './park-dead-letter.ts';

/** Two reads, one write and one event. */
const recordBudgetMs = 5000;

function build({ env, config, random }: Runtime<'park-dead-letters'>): QueueFunction {
  const { ledger } = openLedger(env, config.mode);
  const bus = createOutcomeBus(lazily(createEventBridgeClient), env);
  const queueOf = queueOfDeadLetters(env);
  const { mode, schedules } = config;
  const deps = { queueOf, ledger, mode, senders: readSenders(env.COMMAND_SENDERS), schedules, bus, random };

  return {
    ledger,
    recordBudgetMs,
    // Four queues and no hurry: their own visibility timeout is the wait, and the function needs no
    // right to change it.
    postpone: async () => {},
    handleRecord: (record, context) => parkDeadLetter(record, context, deps),
    smoke: { ledger: () => ledger.read(ledgerKeys.gate()) },
  };
}

/** Makes every dead letter a parked row, the one place to look. */
export const handler = createQueueHandler('park-dead-letters', build);
