/**
 * reconcile-ledger
 *
 * Trigger: its schedule, every 5 minutes. Input: `{"tick": "reconcile-ledger"}`.
 * Effects: lists the bucket's versions. Sends versions without a row, and uploads that were silent
 *   too long, to the uploads queue, as S3 notifications. Counts open and parked work. Writes a
 *   row of its own (`reconcile#ledger`): a lease, so that two ticks never run side by side, and its
 *   progress. It decides about no upload that is under way: a message too many is a repeat, which
 *   its worker takes for one. It judges which schedules that start a run are silent, and publishes
 *   ScheduleSilent and StartsHeldBack on the outcome bus. In `mode: 'observe'` the row
 *   `observed-until#stage` says until when the stage observed.
 * On failure: the error escapes; the next tick goes on at the same place. Everything that it sends
 *   may be sent twice.
 * Alarms, each a heading of docs/runbook.md: ReconcileLedgerNotRunning, ParkedOpen,
 *   OldestOpenOneHour, OldestOpenSixHours, ReconcilerFound, SchedulesSilent.
 */
import { lazily } from '#shared/aws/client-settings.ts';
import { createEventBridgeClient, createOutcomeBus } from '#shared/aws/outcome-bus.ts';
import { createSchedulerClient, createSchedules } from '#shared/aws/schedules.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { createObjectVersions } from '#shared/aws/version-listing.ts';
import { createQueue, createSqsClient, readQueueDepth } from '#shared/aws/queue.ts';
import { createS3Client } from '#shared/aws/object-store.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { createScheduledHandler, type Runtime, type ScheduledFunction } from '../_handler/handlers.ts';
import { openLedger } from '../_handler/stage-ledger.ts';
import { reconcile } from './reconcile.ts';
import type { UploadQueue } from './tick.ts';

function build({ env, config }: Runtime<'reconcile-ledger'>): ScheduledFunction {
  const sqs = lazily(createSqsClient);
  const { ledger } = openLedger(env, config.mode);
  const versions = createObjectVersions(createS3Client(), env.BUCKET_NAME);
  const queue: UploadQueue = {
    send: createQueue(sqs, env.UPLOADS_QUEUE_URL).send,
    async isEmpty() {
      const { waiting, inFlight, delayed } = await readQueueDepth(sqs(), env.UPLOADS_QUEUE_URL);
      return waiting + inFlight + delayed === 0;
    },
  };
  const scheduler = lazily(createSchedulerClient);
  const silence = {
    config,
    deployed: {
      find: async (name: string) => createSchedules(scheduler(), scheduleGroupName(config.stage)).find(name),
    },
    bus: createOutcomeBus(lazily(createEventBridgeClient), env),
    way: env.STAGE_WAY,
  };
  const known = new Set<string>();

  return {
    ledger,
    smoke: {
      ledger: () => ledger.read(ledgerKeys.gate()),
      openRows: () => ledger.listOpen('IN_FLIGHT', { limit: 1 }),
      bucket: () => versions.list({ prefix: datasetsPrefix, limit: 1 }),
      uploadsQueue: queue.isEmpty,
    },
    run: (_event, tick) =>
      reconcile({
        ...tick,
        bucket: env.BUCKET_NAME,
        versions,
        ledger,
        queue,
        watched: config.datasetRules,
        known,
        silence,
      }),
  };
}

/** Finds uploads without a notification, and work that no worker finished. */
export const handler = createScheduledHandler('reconcile-ledger', build);
