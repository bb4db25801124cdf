/**
 * Trigger: the plans queue, fed by S3 with every object version created below `run-plans/`, up to
 *   ten messages at a time.
 * Input: S3 events; the object is a run plan `{"version": 1, "commands": [{"action": "start",
 *   "run": "smoke"}]}`.
 * Effects: reads the object version. Sends its commands, all or none, under ids made of the plan's
 *   bytes and each position. Writes one row for each object version, so a redelivery repeats only
 *   the outcome.
 * On failure: the message goes back with a visibility timeout; a plan with a fault is parked as
 *   BAD_PLAN with every fault and its line.
 * Alarms, each a heading of docs/runbook.md: SendRunPlansFailures.
 */
import { createEventBridgeClient } from '#shared/aws/clients/eventbridge-client.ts';
import { lazily } from '#shared/aws/clients/client-settings.ts';
import { createObjectStore } from '#shared/aws/object-store.ts';
import { createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { createQueue } from '#shared/aws/queue.ts';
import { createS3Client } from '#shared/aws/clients/s3-client.ts';
import { createSqsClient } from '#shared/aws/clients/sqs-client.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createQueueHandler, type QueueFunction, type Runtime } from '../_handler/handlers.ts';
import { commandsOfMode, openLedger } from '../_handler/stage-ledger.ts';
import { handlePlanMessage } from './handle-plan-message.ts';

/** A plan of a hundred commands is sent within a few seconds. */
const recordBudgetMs = 15_000;

function build({ env, config, random }: Runtime<'send-run-plans'>): QueueFunction {
  const { ledger } = openLedger(env, config.mode);
  const sqs = lazily(createSqsClient);
  const deps = {
    bucket: env.BUCKET_NAME,
    config,
    ledger,
    objects: createObjectStore(createS3Client()),
    commands: commandsOfMode(config.mode, createQueue(sqs, env.COMMANDS_QUEUE_URL)),
    bus: createOutcomeBus(lazily(createEventBridgeClient), env.EVENT_BUS_NAME),
    random,
  };

  return {
    ledger,
    recordBudgetMs,
    postpone: createQueue(sqs, env.PLANS_QUEUE_URL).postpone,
    handleRecord: (record, context) => handlePlanMessage(record, context, deps),
    smoke: { ledger: () => ledger.read(ledgerKeys.gate()) },
  };
}

/** Sends the commands of uploaded run plans. */
export const handler = createQueueHandler('send-run-plans', build);
