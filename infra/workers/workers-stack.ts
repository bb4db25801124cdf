import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import { CfnOutput, Lazy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import type { SenderName } from '#shared/messages/command-senders.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { versionOutput, workersOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { AssetDirectories } from '../bundle/write-assets.ts';
import { haltOn } from '../config/config-parts.ts';
import { mappingConcurrency, type StageNumbers } from '../config/stage-numbers.ts';
import { shortestOf, StageSchedules } from '../constructs/compute/stage-schedules.ts';
import { calendarsOf } from '#shared/schedule/calendars.ts';
import { OutcomeNotices } from '../constructs/monitoring/outcome-notices.ts';
import { AlarmTopic } from '../constructs/monitoring/runbook-alarm.ts';
import { SavedQueries } from '../constructs/monitoring/saved-queries.ts';
import { GatewayAlarms, QueuesAlarm, SchedulesAlarm } from '../constructs/monitoring/stage-alarms.ts';
import { StageDashboard } from '../constructs/monitoring/stage-dashboard.ts';
import { Webhooks } from '../constructs/monitoring/webhooks.ts';
import type { StateStack } from '../constructs/state-stack.ts';
import { AnswerQuestionsWorker } from './answer-questions-worker.ts';
import { ParkDeadLettersWorker } from './park-dead-letters-worker.ts';
import { PollScannerPackagesWorker } from './poll-scanner-packages-worker.ts';
import { ReconcileLedgerWorker } from './reconcile-ledger-worker.ts';
import { RegisterDatasetsWorker } from './register-datasets-worker.ts';
import { UpdateCampaignRunsWorker } from './update-campaign-runs-worker.ts';
import { WatchCampaignsWorker } from './watch-campaigns-worker.ts';
import { WatchProjectsWorker } from './watch-projects-worker.ts';

/** Props of the workers of a stage. */
export interface WorkersStackProps extends StackProps {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly assets: AssetDirectories;
  readonly state: StateStack;
}

/**
 * Everything that can be deleted and deployed again at any hour: functions, what feeds them,
 * schedules.
 */
export class WorkersStack extends Stack {
  readonly alarms: AlarmTopic;

  constructor(scope: Construct, id: string, props: WorkersStackProps) {
    super(scope, id, props);
    const { automation, numbers, assets, state } = props;
    const { stage, mode } = automation;
    const tables = mode === 'act' ? { ledger: state.ledger } : { ledger: state.observedLedger, acting: state.ledger };
    const concurrency = mappingConcurrency(automation.gateway);

    const alarms = (this.alarms = new AlarmTopic(this, 'Alarms', { stage, notify: automation.notify }));
    const connected = {
      alarms,
      stage,
      numbers,
      assets,
      vpc: automation.deployment.vpc,
      state,
      ...tables,
      bus: state.bus,
    };
    const updateCampaignRuns = new UpdateCampaignRunsWorker(this, 'UpdateCampaignRuns', {
      ...connected,
      maxConcurrency: concurrency.commands,
      // The roles are made below.
      commandSenders: Lazy.string({ produce: () => sendersText(senders) }),
    });
    const registerDatasets = new RegisterDatasetsWorker(this, 'RegisterDatasets', {
      ...connected,
      maxConcurrency: concurrency.uploads,
    });
    const poll = new PollScannerPackagesWorker(this, 'PollScannerPackages', {
      ...connected,
      shortestPeriod: shortestOf(automation.packageWatches),
    });
    const parkDeadLetters = new ParkDeadLettersWorker(this, 'ParkDeadLetters', connected);
    const reconcileLedger = new ReconcileLedgerWorker(this, 'ReconcileLedger', connected);
    const watchCampaigns = new WatchCampaignsWorker(this, 'WatchCampaigns', {
      ...connected,
      readsRuns: automation.gateway.readsRuns === true,
      calendars: calendarsOf(automation.blackouts),
      haltOn: haltOn(automation) ?? {},
    });
    const watchProjects = new WatchProjectsWorker(this, 'WatchProjects', {
      ...connected,
      shortestPeriod: shortestOf(automation.projectWatches),
    });
    const answerQuestions = new AnswerQuestionsWorker(this, 'AnswerQuestions', connected);

    const schedules = new StageSchedules(this, 'Schedules', {
      automation,
      commands: state.queues.commands.queue,
      deadLetters: state.schedulesDeadLetters,
      pollScannerPackages: poll.function,
      watchProjects: watchProjects.function,
      ticks: [reconcileLedger.tick, watchCampaigns.tick],
    });
    const senders: Readonly<Record<SenderName, IRole | undefined>> = {
      schedules: schedules.commandsRole,
      'update-campaign-runs': updateCampaignRuns.function.role,
      'register-datasets': registerDatasets.function.role,
      'poll-scanner-packages': poll.function.role,
      'watch-campaigns': watchCampaigns.tick.function.role,
      'watch-projects': watchProjects.function.role,
    };
    new QueuesAlarm(this, 'QueueWithoutConsumer', {
      topic: alarms,
      queues: {
        commands: state.queues.commands.queue,
        uploads: state.queues.uploads.queue,
      },
    });
    new SchedulesAlarm(this, 'SchedulesUndelivered', { topic: alarms, groupName: schedules.groupName });
    const gateway = new GatewayAlarms(this, 'Gateway', { topic: alarms });
    const webhooks = new Webhooks(this, 'Webhooks', { topic: alarms, webhooks: automation.notify.webhooks });
    new OutcomeNotices(this, 'Notices', { bus: state.bus, topic: alarms, webhooks, also: automation.notify.also });
    // What all depend on, then what waits for a person, then each worker: those that start and stop
    // before the others.
    const starters = [updateCampaignRuns, watchCampaigns, registerDatasets, poll, watchProjects];
    const shown = [gateway, reconcileLedger, ...starters, parkDeadLetters];
    new StageDashboard(this, 'Dashboard', { stage, rows: shown.map(({ dashboardRow }) => dashboardRow) });
    new SavedQueries(this, 'Queries', { stage });

    const values = {
      Mode: mode,
      ScheduleGroupName: schedules.groupName,
      CommandSchedulesRoleArn: schedules.commandsRole.roleArn,
      UpdateCampaignRunsFunctionArn: updateCampaignRuns.function.functionArn,
      AnswerQuestionsFunctionArn: answerQuestions.function.functionArn,
      AlarmTopicArn: alarms.topicArn,
    } satisfies Record<(typeof workersOutputs)[number], string>;
    for (const name of workersOutputs) new CfnOutput(this, name, { value: values[name] });
    new CfnOutput(this, versionOutput, { value: productVersion });
  }
}

/** As `readSenders` reads it. IAM gives no id twice: a role that is made again is another one. */
function sendersText(senders: Readonly<Record<SenderName, IRole | undefined>>): string {
  return Object.entries(senders)
    .map(([name, role]) => {
      if (role instanceof Role) return `${name}=${role.roleId}`;
      throw new TypeError(`${name} has no role of this stack`);
    })
    .join(' ');
}
