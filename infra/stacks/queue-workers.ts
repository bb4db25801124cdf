import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { mappingConcurrency, uploadsBatchSize } from '../config/stage-numbers.ts';
import { type StageConnections, WorkerFunction } from '../constructs/compute/worker-function.ts';
import { grantPostpone, grantSend } from '../constructs/worker-queue.ts';
import { fiveMinutes as period, twoOfThree } from '../constructs/monitoring/alarm-topic.ts';
import { overAll } from '../constructs/monitoring/stage-alarms.ts';

const ofRuns = ['command', 'run', 'run-id', 'target'] as const;

/** Commands queue → PATCH of a campaign run. */
export function addUpdateCampaignRuns(scope: Construct, connections: StageConnections): WorkerFunction {
  const { automation, state, alarms, ledger, acting } = connections;
  const { queue } = state.queues.commands;
  const worker = new WorkerFunction(scope, connections, {
    name: 'update-campaign-runs',
    failures: { alarm: 'UpdateCampaignRunsFailures', ...twoOfThree }, // a message is back within minutes
    memoryMb: 512, // processor time for a quick cold start: a stop waits for it; the work itself needs a fifth
  });
  // A command is rare and urgent: none waits for a neighbour.
  const { commands: maxConcurrency } = mappingConcurrency(automation.gateway);
  worker.consume('Commands', { queue, batchSize: 1, maxConcurrency });
  const beside = ['switch', 'confirmation', 'run-readings', 'calendars', 'finding', 'pool'] as const;
  ledger.grantReadWrite(worker, { writes: [...ofRuns, 'finding', 'gate', 'link-test', 'message', 'recent'] });
  ledger.grantReadMany(worker, [...ofRuns, ...beside], 'the rows that one decision needs');
  acting?.grantRead(
    worker,
    ['command', 'run', 'switch', 'pool'],
    'switches, bound ids, pools, and what was begun before the stage observed',
  );
  grantPostpone(queue, worker);
  grantSend(queue, worker, 'the stop of a run that a newer start, or a guard, needs ended');
  // Late is a start that missed its window here, and a stop that `watch-campaigns` sees; what is
  // parked the reconciler counts.
  alarms.ring(worker, 'MissedWindow', worker.metric(metricNames.missedWindow));
  const superseded = worker.metric(metricNames.superseded, { period: Duration.hours(1) });
  alarms.ring(worker, 'SupersededSpike', superseded, { atLeast: 6 }); // a person who changes her mind takes two or three
  alarms.ring(worker, 'RunIdsLow', worker.metric(metricNames.runIdsLow));
  return worker;
}

/** Objects under datasets/ → POST of a dataset, and the command that a rule's `thenStart` sends. */
export function addRegisterDatasets(scope: Construct, connections: StageConnections): WorkerFunction {
  const { automation, state, ledger } = connections;
  const { commands, uploads } = state.queues;
  const worker = new WorkerFunction(scope, connections, {
    name: 'register-datasets',
    failures: { alarm: 'RegisterDatasetsFailures' },
    memoryMb: 512, // the check of 10 MB with two million rows takes 200 MB for a while, beside four files of 15 MB on their way (measured 2026-11); the processor comes with the memory
  });
  const { uploads: maxConcurrency } = mappingConcurrency(automation.gateway);
  worker.consume('Uploads', { queue: uploads.queue, batchSize: uploadsBatchSize, maxConcurrency });
  ledger.grantReadWrite(worker, { writes: ['upload', 'dataset', 'gate', 'link-test', 'message', 'recent'] });
  state.bucket.grantReadVersions(worker);
  state.bucket.grantReadCurrent(worker, 'sidecars, and which version is the latest');
  grantPostpone(uploads.queue, worker);
  grantSend(commands.queue, worker, 'the start that a rule’s `thenStart` asks for');
  return worker;
}

/** Every dead-letter queue → a parked row of the ledger. */
export function addParkDeadLetters(
  scope: Construct,
  connections: StageConnections,
  deadLetters: Readonly<Record<string, IQueue>>,
): WorkerFunction {
  const { alarms, ledger } = connections;
  const worker = new WorkerFunction(scope, connections, {
    name: 'park-dead-letters',
    failures: { none: 'what it cannot park stays in a dead-letter queue, and that rings' },
    memoryMb: 256, // it copies messages into rows
  });
  // The least concurrency that AWS takes; a dead letter is rare.
  for (const [id, queue] of Object.entries(deadLetters))
    worker.consume(id, { queue, batchSize: 10, maxConcurrency: 2 });
  // It only ends commands: the watcher would send an open one of its own making.
  ledger.grantReadWrite(worker, {
    writes: [...ofRuns, 'finding', 'message', 'recent'],
    reads: ['gate'],
    without: 'isTaken',
  });
  ledger.grantReadMany(worker, [...ofRuns, 'finding', 'switch'], 'the rows of a command that its queue gave up');
  // One alarm for all of them, since one function empties them; it costs what an alarm for each
  // would. Two periods: it needs a moment.
  const waiting = Object.entries(deadLetters).map(([id, queue]) => [
    id.toLowerCase(),
    queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
  ]);
  const most = overAll('MAX', 'messages in the dead-letter queue that holds most', Object.fromEntries(waiting));
  alarms.ring(worker, 'DeadLettersWaiting', most, { of: 2 });
  return worker;
}
