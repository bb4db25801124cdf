import { CfnRule } from 'aws-cdk-lib/aws-events';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Aws, Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { calendarsOf } from '#shared/schedule/calendars.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { AlarmName } from '../constructs/monitoring/alarm-names.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { haltOn } from '../config/config-parts.ts';
import { grantActions } from '../constructs/grant-actions.ts';
import { shortestOf, tickWatch } from '../constructs/compute/stage-schedules.ts';
import { type StageConnections, WorkerFunction } from '../constructs/compute/worker-function.ts';
import { grantReadDepth, grantSend } from '../constructs/worker-queue.ts';
import { fiveMinutes as period, twoOfThree } from '../constructs/monitoring/alarm-topic.ts';

/**
 * Walks a listing when its schedule calls; of two walks of a watch at once the first to end counts.
 * A change sends a command.
 */
export function addPollScannerPackages(scope: Construct, connections: StageConnections): WorkerFunction {
  const worker = addWatcher(scope, connections, {
    name: 'poll-scanner-packages',
    watches: connections.automation.packageWatches,
    failures: 'PollScannerPackagesFailures',
    notRunning: 'PollScannerPackagesNotRunning',
    memoryMb: 512, // a watch of 5,000 packages takes 135 MB; the rest is for the share of a CPU that comes with it
    sends: 'the start that a change of a package asks for',
  });
  connections.ledger.grantReadWrite(worker, { writes: ['watch', 'changes', 'gate', 'recent'] });
  connections.ledger.grantReadMany(worker, ['watch'], 'all that is known of a watch');
  return worker;
}

/**
 * Looks at a project when its schedule calls, one look at a time by its lease in the ledger; a
 * change sends a command.
 */
export function addWatchProjects(scope: Construct, connections: StageConnections): WorkerFunction {
  const worker = addWatcher(scope, connections, {
    name: 'watch-projects',
    watches: connections.automation.projectWatches,
    failures: 'WatchProjectsFailures',
    notRunning: 'WatchProjectsNotRunning',
    memoryMb: 256, // one configuration, a megabyte at most
    sends: 'the start that a change of a project asks for',
  });
  connections.ledger.grantReadWrite(worker, { writes: ['project-watch', 'changes', 'gate', 'recent'] });
  connections.ledger.grantListOpen(worker, 'the runs in flight while a project changed');
  return worker;
}

/**
 * A function that schedules of the configuration call. An alarm rings when none calls it any more:
 * the schedule was switched off by hand, its role is broken. There is no such alarm without a
 * schedule, or for one with a period of more than three and a half days.
 */
function addWatcher(
  scope: Construct,
  connections: StageConnections,
  of: {
    readonly name: 'poll-scanner-packages' | 'watch-projects';
    readonly watches: readonly { readonly expression: string }[];
    readonly failures: AlarmName;
    readonly notRunning: AlarmName;
    readonly memoryMb: number;
    readonly sends: string;
  },
): WorkerFunction {
  const { name, memoryMb } = of;
  const { alarms, state } = connections;
  const every = shortestOf(of.watches);
  const watch = every && tickWatch(every);
  const failures = { alarm: of.failures, period: watch?.period, ...watch?.failures };
  const worker = new WorkerFunction(scope, connections, { name, memoryMb, failures });
  worker.retryByNextTick();
  grantSend(state.queues.commands.queue, worker, of.sends);
  if (watch?.silence !== undefined) {
    const calls = worker.function.metricInvocations({ statistic: 'Sum', period: watch.period });
    alarms.ring(worker, of.notRunning, calls, { below: 1, ...watch.silence });
  }
  return worker;
}

/**
 * Every minute, by what the ledger says: sends what is due, and reads the campaigns that a start
 * waits for.
 */
export function addWatchCampaigns(scope: Construct, connections: StageConnections): WorkerFunction {
  const { automation, state, alarms, ledger, acting } = connections;
  const worker = new WorkerFunction(scope, connections, {
    name: 'watch-campaigns',
    failures: { alarm: 'WatchCampaignsFailures', ...twoOfThree }, // the next tick is the retry of one that failed
    memoryMb: 256, // a page of rows at a time
  });
  worker.retryByNextTick();
  ledger.grantReadWrite(worker, {
    writes: [
      'sent-commands',
      'run-readings',
      'confirmation',
      'run-ends',
      'changes',
      'finding',
      'run-id',
      'target',
      'calendars',
      'gate',
    ],
    reads: ['command'],
  });
  const ofRuns = ['command', 'confirmation', 'finding', 'run-ends', 'changes', 'run', 'run-id', 'target'] as const;
  ledger.grantReadMany(worker, ofRuns, 'all that is known of the runs in flight, and how the runs of a pool stand');
  // What was made at the gateway is there in either mode.
  const pools = acting ?? ledger;
  pools.grantReadWrite(worker, { writes: ['pool'] });
  pools.grantReadMany(worker, ['pool', 'run', 'switch'], 'pools, their used runs, and a freeze');
  ledger.grantListOpen(worker, 'what is in flight, due or deferred');
  acting?.grantListOpen(worker, 'runs that were started for real and go on while the stage observes');
  grantSend(state.queues.commands.queue, worker, 'stops and starts that are due');
  const calendars = calendarsOf(automation.blackouts);
  if (calendars.length > 0) {
    grantActions(worker, {
      actions: ['ssm:GetCalendarState'],
      resourceArns: calendars,
      why: 'whether a calendar that a blackout follows is closed',
    });
  }
  followAlarms(worker, connections);
  // Each tick counts the stops that are late, none too: its silence says that the watcher does not
  // run.
  const ticks = worker.metric(metricNames.stopsLate, { statistic: 'SampleCount' });
  alarms.ring(worker, 'WatchCampaignsNotRunning', ticks, { below: 1, of: 2 });
  // Late is two minutes after it was due; one that is late at every tick of five minutes more needs
  // a person.
  alarms.ring(worker, 'StopsLate', worker.metric(metricNames.stopsLate, { statistic: 'Minimum' }));
  if (Object.values(automation.runs).some(({ confirm }) => confirm !== undefined)) {
    alarms.ring(worker, 'RunUnseen', worker.metric(metricNames.startsUnconfirmed));
  }
  // Only a gateway whose runs can be read says so.
  if (automation.gateway.readsRuns === true) {
    alarms.ring(worker, 'RunFailed', worker.metric(metricNames.runsFailed));
    if (Object.values(automation.runs).some(({ score }) => score !== undefined)) {
      alarms.ring(worker, 'ScoreLow', worker.metric(metricNames.scoresLow));
    }
  }
  // No function reserves concurrency, so all share what the account has left; the one that is
  // called every minute is the first to miss it.
  const throttled = worker.function.metricThrottles({ statistic: 'Sum', period });
  alarms.ring(worker, 'FunctionsThrottled', throttled, twoOfThree);
  return worker;
}

/**
 * A change of an alarm's state brings the next tick forward; the tick reads the state itself. An
 * event that does not arrive needs no dead-letter queue: the tick of the next minute sees the same.
 */
function followAlarms(worker: WorkerFunction, { automation, ledger, acting }: StageConnections): void {
  const followed = Object.entries(haltOn(automation) ?? {});
  if (followed.length === 0) return;
  // Switches lie in the acting table in either mode.
  (acting ?? ledger).grantReadWrite(worker, { writes: ['switch#alarm', 'past-switch#alarm'] });
  grantActions(worker, {
    actions: ['cloudwatch:DescribeAlarms'],
    resourceArns: ['*'],
    wildcard:
      'composite alarms are not described under a narrower one (DescribeAlarms, Amazon CloudWatch API Reference)',
    why: 'whether an alarm rings that a campaign halts on (`haltOn`)',
  });
  for (const [campaign, arns] of followed) {
    const rule = new CfnRule(worker, `HaltOn-${campaign}`, {
      description: `looks at the alarms that halt ${campaign} when one changes`,
      eventPattern: {
        source: ['aws.cloudwatch'],
        'detail-type': ['CloudWatch Alarm State Change'],
        resources: [...arns],
      },
      targets: [{ id: 'Tick', arn: worker.function.functionArn, input: JSON.stringify({ tick: 'watch-campaigns' }) }],
    });
    worker.function.addPermission(`HaltOn-${campaign}-Call`, {
      principal: new ServicePrincipal('events.amazonaws.com'),
      sourceArn: rule.attrArn,
      sourceAccount: Aws.ACCOUNT_ID,
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless::Serverless-EventBusDLQ',
      reason: 'the tick of the next minute sees the same state, so an event that is lost is no lost work',
    });
  }
}

/**
 * Finds uploads without a notification and work that no worker finished, and sends both to the
 * workers again.
 */
export function addReconcileLedger(scope: Construct, connections: StageConnections): WorkerFunction {
  const { automation, state, alarms, ledger, acting } = connections;
  const uploads = state.queues.uploads.queue;
  const worker = new WorkerFunction(scope, connections, {
    name: 'reconcile-ledger',
    failures: { none: 'a tick that fails leaves no heartbeat, and the next one continues it: silence rings' },
    memoryMb: 256, // a page of a listing or of rows at a time
  });
  worker.retryByNextTick();
  ledger.grantReadWrite(worker, { writes: ['reconcile'], reads: ['gate'] });
  ledger.grantListOpen(worker, 'uploads that are silent for too long, and how much is parked');
  ledger.grantReadMany(
    worker,
    ['command', 'observed-until', 'upload'],
    'the commands of the last occurrences of schedules, the uploads of the bucket',
  );
  acting?.grantReadWrite(worker, { writes: ['observed-until'] }); // until when the stage only observed
  acting?.grantListOpen(worker, 'freezes and pauses that are on');
  const resourceName = `${scheduleGroupName(automation.stage)}/*`;
  grantActions(worker, {
    actions: ['scheduler:GetSchedule'],
    resourceArns: [Stack.of(worker).formatArn({ service: 'scheduler', resource: 'schedule', resourceName })],
    wildcard: 'the schedules of this stage; their names are those of the configuration',
    why: 'why a schedule sends no command: disabled, deleted, or changed by hand',
  });
  const compares = 'compares what is in the bucket with the ledger; reads no object';
  state.bucket.grantListVersions(worker, compares);
  grantSend(uploads, worker, 'uploads without a notification, and work that no worker finished');
  grantReadDepth(uploads, worker, 'while messages wait, an upload without a row may be one of them');
  // Its ticks come five minutes apart, give or take one: two empty periods are two that did not
  // come to their end.
  const ticks = worker.metric(metricNames.reconcilerHeartbeat);
  alarms.ring(worker, 'ReconcileLedgerNotRunning', ticks, { below: 1, of: 2 });
  // What the ticks count: it rings as long as it is so.
  const most = { statistic: 'Maximum' } as const;
  alarms.ring(worker, 'ParkedOpen', worker.metric(metricNames.parkedOpen, most));
  const oldest = worker.metric(metricNames.oldestOpenSeconds, most);
  alarms.ring(worker, 'OldestOpenOneHour', oldest, { atLeast: 3600 });
  alarms.ring(worker, 'OldestOpenSixHours', oldest, { atLeast: 21_600 });
  alarms.ring(worker, 'SchedulesSilent', worker.metric(metricNames.schedulesSilent, most));
  alarms.ring(worker, 'ReconcilerFound', worker.metric(metricNames.reconcilerFound));
  return worker;
}

/**
 * Answers `autopilot`. It may read and nothing else, so that a person who may only look need not be
 * able to invoke a function that acts.
 */
export function addAnswerQuestions(scope: Construct, connections: StageConnections): WorkerFunction {
  const { ledger, acting } = connections;
  const worker = new WorkerFunction(scope, connections, {
    name: 'answer-questions',
    failures: { none: 'the person who asked sees the failure as the answer, and no work waits behind it' },
    memoryMb: 512, // processor time for a quick cold start: a person waits for the answer
  });
  const asked = ['command', 'run', 'run-ends', 'run-id', 'target', 'switch', 'gate', 'confirmation', 'pool'] as const;
  ledger.grantRead(worker, [...asked, 'finding', 'run-readings', 'calendars'], 'the rows that an answer is about');
  ledger.grantListOpen(worker, 'what is in flight and what is deferred');
  acting?.grantRead(
    worker,
    ['command', 'run', 'switch', 'pool'],
    'switches, bound ids, pools, and what was begun before the stage observed',
  );
  return worker;
}
