import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ResolvedAutomation } from '../../shared/config/resolved-automation.ts';
import { workersOutputs } from '../../shared/vocabulary/stack-outputs.ts';
import type { AssetDirectories } from '../bundle/write-assets.ts';
import { mappingConcurrency } from '../config/concurrency.ts';
import type { StageNumbers } from '../config/stage-numbers.ts';
import { StageSchedules } from '../constructs/stage-schedules.ts';
import { ParkDeadLettersWorker } from '../workers/park-dead-letters-worker.ts';
import { PollScannerPackagesWorker } from '../workers/poll-scanner-packages-worker.ts';
import { ReconcileLedgerWorker } from '../workers/reconcile-ledger-worker.ts';
import { RegisterDatasetsWorker } from '../workers/register-datasets-worker.ts';
import { SendRunPlansWorker } from '../workers/send-run-plans-worker.ts';
import { UpdateCampaignRunsWorker } from '../workers/update-campaign-runs-worker.ts';
import { WatchCampaignsWorker } from '../workers/watch-campaigns-worker.ts';
import { WatchProjectsWorker } from '../workers/watch-projects-worker.ts';
import type { StateStack } from './state-stack.ts';

/** What the workers of a stage need to be told. */
export interface WorkersStackProps extends StackProps {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly assets: AssetDirectories;
  readonly state: StateStack;
}

/** Everything that can be deleted and deployed again at any hour: functions, what feeds them, schedules. */
export class WorkersStack extends Stack {
  constructor(scope: Construct, id: string, props: WorkersStackProps) {
    super(scope, id, props);
    const { automation, numbers, assets, state } = props;
    const { stage } = automation;
    const concurrency = mappingConcurrency(automation.gateway);

    const connected = { stage, numbers, assets, state, bus: state.bus };
    const updateCampaignRuns = new UpdateCampaignRunsWorker(this, 'UpdateCampaignRuns', {
      ...connected,
      maxConcurrency: concurrency.commands,
    });
    new RegisterDatasetsWorker(this, 'RegisterDatasets', { ...connected, maxConcurrency: concurrency.uploads });
    new SendRunPlansWorker(this, 'SendRunPlans', { ...connected, maxConcurrency: concurrency.plans });
    const poll = new PollScannerPackagesWorker(this, 'PollScannerPackages', connected);
    new ParkDeadLettersWorker(this, 'ParkDeadLetters', connected);
    const reconcileLedger = new ReconcileLedgerWorker(this, 'ReconcileLedger', connected);
    const watchCampaigns = new WatchCampaignsWorker(this, 'WatchCampaigns', connected);
    const watchProjects = new WatchProjectsWorker(this, 'WatchProjects', connected);

    const schedules = new StageSchedules(this, 'Schedules', {
      stage,
      schedules: automation.schedules,
      packageWatches: automation.packageWatches,
      projectWatches: automation.projectWatches,
      commands: state.queues.commands.queue,
      deadLetters: state.schedulesDeadLetters,
      pollScannerPackages: poll.function,
      watchProjects: watchProjects.function,
      ticks: [reconcileLedger.tick, watchCampaigns.tick],
    });

    const values = {
      ScheduleGroupName: schedules.groupName,
      UpdateCampaignRunsFunctionArn: updateCampaignRuns.function.functionArn,
    } satisfies Record<(typeof workersOutputs)[number], string>;
    for (const name of workersOutputs) new CfnOutput(this, name, { value: values[name] });
  }
}
