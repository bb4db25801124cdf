import { parkDeadLetter } from '#functions/park-dead-letters/park-dead-letter.ts';
import type { Ports } from './world/ports.ts';
import {
  confirmWithin,
  datasetRules,
  datasetsPerSecond,
  processes,
  readsPerSecond,
  runsConfigOf,
} from './stage-config.ts';
import type { Environment, FunctionOptions } from './world/virtual-function.ts';
import { deployWorker, registerDatasets, updateCampaignRuns, watcherOf, type Work } from './world/wired-workers.ts';
import { createWorld, type World, type WorldOptions } from './world/world.ts';

/** The workers of one stage over a simulated world, wired as their handlers wire them. */
export function createStage(options: WorldOptions) {
  const world = createWorld(options);
  const { time, queues, deadLetters } = world;

  const deploy = (settings: Omit<FunctionOptions, 'build'>, work: (environment: Environment, ports: Ports) => Work) =>
    deployWorker(world, settings, work);

  const functions = {
    'register-datasets': deploy({ ...processes.uploads, queue: queues.uploads }, (environment, ports) =>
      registerDatasets(world, environment, ports, { rules: datasetRules, requestsPerSecond: datasetsPerSecond }),
    ),
    'update-campaign-runs': deploy({ ...processes.commands, queue: queues.commands }, (environment, ports) => {
      const work = updateCampaignRuns(world, environment, ports, runsConfigOf(options.gateway));
      return {
        ...work,
        handleRecord: (record, context) => {
          world.attempts.set(context.attemptId, record.body);
          return work.handleRecord(record, context);
        },
      };
    }),
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

const minuteMs = 60_000;

/** Every minute, as its schedule; a tick that fails is made up for by the next one. */
function watchCampaigns(world: World): void {
  const { time } = world;
  const tickOnce = watcherOf(world, { confirmWithin, readsPerSecond });
  const tick = () => {
    tickOnce().catch(() => {});
    time.at(minuteMs, tick);
  };
  time.at(minuteMs, tick);
}
