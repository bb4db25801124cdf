import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import { CfnOutput, Lazy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import type { SenderName } from '#shared/messages/command-senders.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { versionOutput, workersOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { AssetDirectories } from '../bundle/write-assets.ts';
import type { StageNumbers } from '../config/stage-numbers.ts';
import { StageSchedules } from '../constructs/compute/stage-schedules.ts';
import type { StageConnections } from '../constructs/compute/worker-function.ts';
import { AlarmTopic } from '../constructs/monitoring/alarm-topic.ts';
import { OutcomeNotices } from '../constructs/monitoring/outcome-notices.ts';
import { ringOnGateway, ringOnQueues, ringOnSchedules } from '../constructs/monitoring/stage-alarms.ts';
import { StageDashboard } from '../constructs/monitoring/stage-dashboard.ts';
import { Webhooks } from '../constructs/monitoring/webhooks.ts';
import type { StateStack } from './state-stack.ts';
import { addParkDeadLetters, addRegisterDatasets, addUpdateCampaignRuns } from './queue-workers.ts';
import {
  addAnswerQuestions,
  addPollScannerPackages,
  addReconcileLedger,
  addWatchCampaigns,
  addWatchProjects,
} from './tick-workers.ts';

/** Props of the workers of a stage. */
export interface WorkersStackProps extends StackProps {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly assets: AssetDirectories;
  readonly state: StateStack;
  /** Of a stage on this machine: absolute. */
  readonly stateFolder?: string | undefined;
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
    const { mode } = automation;
    const tables = mode === 'act' ? { ledger: state.ledger } : { ledger: state.observedLedger, acting: state.ledger };
    const { commands, uploads } = state.queues;
    const deadLetters = {
      Commands: commands.deadLetterQueue,
      Uploads: uploads.deadLetterQueue,
      Schedules: state.schedulesDeadLetters,
    };

    const alarms = (this.alarms = new AlarmTopic(this, 'Alarms', props));
    const connections: StageConnections = {
      automation,
      numbers,
      assets,
      alarms,
      state,
      ...tables,
      variables: {
        LEDGER_TABLE: tables.ledger.tableName,
        ACTING_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
        EVENT_BUS_NAME: state.bus.eventBusName,
        STAGE_TIME_ZONE: automation.timezone,
        BUCKET_NAME: state.bucket.bucketName,
        COMMANDS_QUEUE_URL: commands.queue.queueUrl,
        UPLOADS_QUEUE_URL: uploads.queue.queueUrl,
        COMMANDS_DLQ_ARN: deadLetters.Commands.queueArn,
        UPLOADS_DLQ_ARN: deadLetters.Uploads.queueArn,
        SCHEDULES_DLQ_ARN: deadLetters.Schedules.queueArn,
        STAGE_WAY: alarms.way,
        COMMAND_SENDERS: Lazy.string({ produce: () => sendersText(senders) }), // the roles are made below
      },
    };
    const workers = {
      'update-campaign-runs': addUpdateCampaignRuns(this, connections),
      'register-datasets': addRegisterDatasets(this, connections),
      'poll-scanner-packages': addPollScannerPackages(this, connections),
      'park-dead-letters': addParkDeadLetters(this, connections, deadLetters),
      'reconcile-ledger': addReconcileLedger(this, connections),
      'watch-campaigns': addWatchCampaigns(this, connections),
      'watch-projects': addWatchProjects(this, connections),
      'answer-questions': addAnswerQuestions(this, connections),
    };
    const { 'update-campaign-runs': update, 'register-datasets': register, 'answer-questions': answer } = workers;

    const schedules = new StageSchedules(this, 'Schedules', {
      automation,
      commands: commands.queue,
      deadLetters: state.schedulesDeadLetters,
      workers,
    });
    const senders: Readonly<Record<SenderName, IRole | undefined>> = {
      schedules: schedules.commandsRole,
      'update-campaign-runs': update.function.role,
      'register-datasets': register.function.role,
      'poll-scanner-packages': workers['poll-scanner-packages'].function.role,
      'watch-campaigns': workers['watch-campaigns'].function.role,
      'watch-projects': workers['watch-projects'].function.role,
      'link-tests': state.policies.LinkTesterPolicyArn.linkTestsRole,
    };
    ringOnGateway(alarms);
    ringOnQueues(alarms, { commands: commands.queue, uploads: uploads.queue });
    ringOnSchedules(alarms, schedules.groupName);
    const webhooks = new Webhooks(this, 'Webhooks', { topic: alarms, webhooks: automation.notify.webhooks });
    new OutcomeNotices(this, 'Notices', { bus: state.bus, topic: alarms, webhooks, also: automation.notify.also });
    new StageDashboard(this, 'Dashboard', {
      alarms,
      functions: Object.fromEntries(Object.entries(workers).map(([name, worker]) => [name, worker.function])),
      queues: { commands: commands.queue, uploads: uploads.queue },
      deadLetters,
    });

    const values = {
      Mode: mode,
      Timezone: automation.timezone,
      ScheduleGroupName: schedules.groupName,
      UpdateCampaignRunsFunctionArn: update.function.functionArn,
      AnswerQuestionsFunctionArn: answer.function.functionArn,
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
