import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import type { DeliveryDisorder } from '#local/aws/sqs/queue-store.ts';
import { type MovableClock, openMovableClock } from '#local/clock/movable-clock.ts';
import { applyClock } from '#local/clock/moved-date.mjs';
import { freePort } from '#local/stage/local-gateway.ts';
import { type RunningStage, runStage } from '#local/stage/run-stage.ts';
import { outputsOf } from '#local/stage/summary.ts';
import { synthesize } from '#local/stage/synthesize.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { chaosAutomation, type ChaosRun, runOfUploads } from './events/automation-document.ts';
import type { ChaosPlan } from './events/plan-run.ts';
import { type GatewayControl, openGatewayControl } from './gateway-control.ts';
import { developerKey } from '../builders/developer-key.ts';

/** The stage whose numbers are short (infra/config/stage-numbers.ts). */
const stageName = 'chaos';

/** A stage of its own beside a gateway of its own, in a folder that goes with it. */
export interface ChaosStage {
  readonly running: RunningStage;
  readonly outputs: StageOutputs;
  readonly gateway: RunningGateway;
  readonly control: GatewayControl;
  /** Of the gateway, the queues and every function. */
  readonly clock: MovableClock;
  /** Ends every process and deletes the folder. */
  readonly close: () => Promise<void>;
}

/** What a stage of a chaos run is made of. */
export interface ChaosStageOptions {
  readonly plan: ChaosPlan;
  readonly disorder: DeliveryDisorder;
  readonly log: (line: string) => void;
  /** Aborted: a stage that is still starting is closed again. */
  readonly interrupted: AbortSignal;
}

/**
 * Bundles and synthesizes once, so that an edit of a function meanwhile does not change this run;
 * then runs the template.
 */
export async function openStage(options: ChaosStageOptions): Promise<ChaosStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'autopilot-chaos-'));
  const closers: (() => Promise<void> | void)[] = [() => rmSync(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closers.splice(0).toReversed()) await step();
  };
  const clockFile = join(dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  applyClock(() => clock.offsetMs());
  try {
    const token = `chaos-${randomBytes(18).toString('base64url')}`;
    // Its uploads have fileIds of any text, so that the judge can tell them apart.
    const database = join(dataDir, 'gateway.sqlite');
    const gateway = await startGateway({ port: 0, database, tokens: [token], profile: 'interface' });
    closers.push(async () => gateway.close());
    const assemblyDir = await synthesizeChaos(dataDir, gateway.url, options.plan.runs);
    options.interrupted.throwIfAborted();
    const running = await runStage({
      assemblyDir,
      dataDir,
      key: developerKey,
      port: await freePort(0, 'the front door'),
      clock,
      clockFile,
      token,
      disorder: options.disorder,
      lateReads: { indexLagMs: 500, betweenRows: async () => sleep(2) },
      onFunctionLog: () => {},
      log: options.log,
    });
    closers.push(running.close);
    const control = openGatewayControl(gateway.url);
    await makeRuns(control, options.plan);
    return { running, outputs: outputsOf(running, stageName), gateway, control, clock, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function synthesizeChaos(dataDir: string, gatewayBaseUrl: string, runs: readonly ChaosRun[]): Promise<string> {
  const configPath = join(dataDir, 'automation.config.mjs');
  writeFileSync(configPath, `export default ${JSON.stringify({ [stageName]: chaosAutomation(runs, new Date()) })};\n`);
  return synthesize({ configPath, stage: stageName, gatewayBaseUrl, dataDir });
}

/** A campaign of its own for each run, so that a reading of one says nothing about another. */
async function makeRuns(control: GatewayControl, { runs, commands }: ChaosPlan): Promise<void> {
  const startAt = new Date(Date.now() + scheduledAheadMs).toISOString();
  for (const { name, campaignId, campaignRunIds } of [...runs, runOfUploads]) {
    await control.send('PUT', `/campaigns/${campaignId}`, { name: `campaign of ${name}`, runCount: 0, lastRunAt: '' });
    const chosen = commands.flatMap(({ command }) =>
      command?.run === name && command.action === 'start' ? [command.target.campaignRunId] : [],
    );
    for (const campaignRunId of [...campaignRunIds, ...chosen]) {
      if (campaignRunId === undefined) continue;
      await control.send('PUT', `/campaign-runs/${campaignRunId}`, { campaignId, name, status: 'scheduled', startAt });
    }
  }
}

/** Runs of a pool are scheduled far ahead: longer than any chaos run, the waiting that it passes over included. */
const scheduledAheadMs = 300 * 86_400_000;
