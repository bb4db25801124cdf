import { createPacer, createTurns } from '../../../functions/_runtime/pacer.ts';
import type { QueueWorker } from '../../../functions/_runtime/queue-worker.ts';
import { parkDeadLetter } from '../../../functions/park-dead-letters/park-dead-letter.ts';
import { handleUploadMessage } from '../../../functions/register-datasets/handle-upload-message.ts';
import { firstBudget } from '../../../functions/register-datasets/send-budget.ts';
import type { UploadDeps } from '../../../functions/register-datasets/upload-work.ts';
import type { UpdateDeps } from '../../../functions/update-campaign-runs/deps.ts';
import { updateCampaignRun } from '../../../functions/update-campaign-runs/update-campaign-run.ts';
import { sendDueStops } from '../../../functions/watch-campaigns/send-due-stops.ts';
import { updateCampaignRun as patchRun } from '../../../shared/gateway-client/campaign-runs.ts';
import { getCampaign } from '../../../shared/gateway-client/campaigns.ts';
import { createDataset } from '../../../shared/gateway-client/datasets.ts';
import { callOf, gateOf, type Ports, portsOf } from './ports.ts';
import { bucket, datasetRules, datasetsPerSecond, processes, runCallTimes, runsConfig } from './stage-config.ts';
import { createVirtualFunction, type Environment, type FunctionOptions } from './virtual-function.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** The workers of one stage over a simulated world, wired as their handlers wire them. */
export function createStage(options: WorldOptions) {
  const world = createWorld(options);
  const { time, queues, deadLetters } = world;

  const deploy = (
    settings: Omit<FunctionOptions, 'build'>,
    work: (environment: Environment, ports: Ports) => Pick<QueueWorker, 'handleRecord' | 'recordBudgetMs'>,
  ) =>
    createVirtualFunction(time, {
      ...settings,
      build(environment) {
        const ports = portsOf(world, environment, { functionName: settings.name });
        const { postpone } = ports.queue(settings.queue);
        const { reports } = ports;
        return { ...work(environment, ports), postpone, reports, now: environment.now, random: time.random };
      },
    });

  const functions = {
    'register-datasets': deploy({ ...processes.uploads, queue: queues.uploads }, (environment, ports) =>
      registerDatasets(world, environment, ports),
    ),
    'update-campaign-runs': deploy({ ...processes.commands, queue: queues.commands }, (environment, ports) =>
      updateCampaignRuns(world, environment, ports),
    ),
  };
  for (const name of ['uploads', 'commands'] as const) {
    deploy({ ...processes.deadLetters, queue: deadLetters[name] }, (_environment, { ledger, bus }) => ({
      recordBudgetMs: 5000,
      handleRecord: (record, context) =>
        parkDeadLetter(record, context, { queueOf: () => name, ledger, mode: 'act', bus, random: time.random }),
    }));
  }
  watchCampaigns(world);
  return { world, functions };
}

/** A simulated stage. */
export type Stage = ReturnType<typeof createStage>;

/** As functions/register-datasets/handler.ts. */
function registerDatasets(world: World, environment: Environment, ports: Ports) {
  const { time, queues } = world;
  const { ledger, bus, objects, token } = ports;
  let call: ReturnType<typeof callOf> | undefined;
  const deps: UploadDeps = {
    ledger,
    objects,
    bus,
    token,
    gate: gateOf(world, environment, ports),
    commands: ports.queue(queues.commands),
    async createDataset(input, { postMs }) {
      const timeouts = { postTotalMs: postMs, postHeadersMs: Math.min(30_000, postMs) };
      call ??= callOf(world, environment, { token, timeouts });
      return createDataset(call, input);
    },
    pace: createPacer(datasetsPerSecond, { monotonicMs: time.nowMs, sleep: environment.wait }),
    budget: firstBudget(),
    random: time.random,
    sleep: environment.wait,
    bucket,
    rules: datasetRules,
    postMayRepeatOn: [],
    mode: 'act',
  };
  const handleRecord: QueueWorker['handleRecord'] = (record, context) => handleUploadMessage(deps, record, context);
  return { recordBudgetMs: 1000, handleRecord };
}

/** As functions/update-campaign-runs/handler.ts. */
function updateCampaignRuns(world: World, environment: Environment, ports: Ports) {
  const { time } = world;
  const { ledger, bus, token } = ports;
  const call = callOf(world, environment, { token, timeouts: { totalMs: runCallTimes.totalMs }, repeatGets: false });
  const clock = { monotonicMs: time.nowMs, sleep: environment.wait };
  const deps: UpdateDeps = {
    ledger,
    bus,
    commands: ports.queue(world.queues.commands),
    gate: gateOf(world, environment, ports),
    turns: {
      runs: createTurns(runsConfig.requestsPerSecond, clock),
      reads: createTurns(runsConfig.readsPerSecond, clock),
    },
    callBudgetMs: runCallTimes.budgetMs,
    gateway: {
      updateCampaignRun: async (input) => patchRun(call, input),
      getCampaign: async (input) => getCampaign(call, input),
    },
    config: runsConfig,
    random: time.random,
    onRunningLow: () => {},
  };
  const handleRecord: QueueWorker['handleRecord'] = (record, context) => updateCampaignRun(record, context, deps);
  return { recordBudgetMs: 20_000, handleRecord };
}

const minuteMs = 60_000;

/** Every minute, as its schedule; a tick that fails is made up for by the next one. */
function watchCampaigns(world: World): void {
  const { time, ledger, queues, log } = world;
  const now = () => new Date(time.nowMs());
  const commands = { send: async (body: string) => void queues.commands.send(body) };
  const tick = () => {
    void sendDueStops({ ledger, commands, now, reports: { log, count: world.metrics.count } });
    time.at(minuteMs, tick);
  };
  time.at(minuteMs, tick);
}
