import { stageSenders } from '../../builders/commands-by-sender.ts';
import * as z from 'zod';
import type { RunCommandDeps } from '#functions/_runs/decide/state.ts';
import { parkDeadLetter } from '#functions/park-dead-letters/park-dead-letter.ts';
import {
  datasetRules,
  datasetsPerSecond,
  type Change,
  type Deployed,
  gatewayNamed,
  processes,
  readableRuns,
  readsPerSecond,
  runsConfigOf,
} from './stage-config.ts';
import {
  deployWorker,
  registerDatasets,
  updateCampaignRuns,
  watcherOf,
  type WatcherSettings,
} from './world/wired-workers.ts';
import { createWorld, type World } from './world/world.ts';

/** What differs from one history to the next. */
export interface StageOptions extends Deployed {
  readonly seed: number;
  readonly maxReceiveCount: number;
}

/** The stage of the model, over a world of its own. */
export function createStage({ seed, maxReceiveCount, ...deployed }: StageOptions) {
  const { kind, readsRuns } = gatewayNamed(deployed.gateway);
  const world = createWorld({ seed, gateway: { kind, isShown: (id) => readableRuns.has(id) }, maxReceiveCount });
  let config = runsConfigOf(deployed);
  const functions = deployStage(world, { config: () => config, readsPerSecond, readsRuns });
  return { world, functions, deploy: (change: Change) => void (config = runsConfigOf(deployed, change)) };
}

/** A simulated stage. */
export type Stage = ReturnType<typeof createStage>;

/** How a stage is deployed. */
export interface Deployment extends WatcherSettings {
  /** As of the latest deployment. */
  readonly config: () => RunCommandDeps['config'];
  /** How far the clock of a worker of commands may be off. @default as in the model */
  readonly mostSkewMs?: number;
}

const minuteMs = 60_000;

/** Deploys the workers of one stage over a world, wired as their handlers wire them. */
export function deployStage(world: World, { config, mostSkewMs, ...watcher }: Deployment) {
  const { time, queues, deadLetters } = world;
  const commands = { ...processes.commands, queue: queues.commands };
  const functions = {
    'register-datasets': deployWorker(world, { ...processes.uploads, queue: queues.uploads }, (environment, ports) =>
      registerDatasets(world, environment, ports, { rules: datasetRules, requestsPerSecond: datasetsPerSecond }),
    ),
    'update-campaign-runs': deployWorker(
      world,
      { ...commands, mostSkewMs: mostSkewMs ?? commands.mostSkewMs },
      (environment, ports) => {
        let deployed = config();
        let work = updateCampaignRuns(world, environment, ports, deployed);
        return {
          ...work,
          handleRecord(record, context) {
            world.attempts.set(context.attemptId, commandIdIn(record.body) ?? 'none');
            if (deployed !== config()) work = updateCampaignRuns(world, environment, ports, (deployed = config()));
            return work.handleRecord(record, context);
          },
        };
      },
    ),
  };
  for (const name of ['uploads', 'commands'] as const) {
    deployWorker(world, { ...processes.deadLetters, queue: deadLetters[name] }, (_environment, { ledger, bus }) => ({
      recordBudgetMs: 5000,
      handleRecord: (record, context) =>
        parkDeadLetter(record, context, {
          queueOf: () => name,
          ledger,
          mode: 'act',
          senders: stageSenders,
          schedules: [],
          bus,
          random: time.random,
        }),
    }));
  }
  // Every minute, as its schedule; a tick that fails is made up for by the next one.
  const tickOnce = watcherOf(world, watcher);
  const tick = () => {
    tickOnce().catch(() => {});
    time.at(minuteMs, tick);
  };
  time.at(minuteMs, tick);
  return functions;
}

const withId = z.object({ id: z.string() });

/** The id in the message of a command, if it has one. */
export function commandIdIn(message: string): string | undefined {
  try {
    return withId.safeParse(JSON.parse(message)).data?.id;
  } catch {
    return undefined;
  }
}
