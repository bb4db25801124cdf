import { timesIn } from '#cli/terminal/times.ts';
import type { CommandDeps } from '#cli/terminal/command.ts';
import { command } from '#cli/reports/evidence.ts';
import type { Evidence } from '#operator/evidence/read-evidence.ts';
import { openGate } from '#functions/_gateway/gate.ts';
import { answerConfigAt } from '#functions/answer-questions/stage-questions.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { BadStatusError, type Campaign, type GatewayConfig } from '#shared/gateway-client/index.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import {
  nightlyIds,
  smokeIds,
  aCommand,
  createUpdateBench,
} from '../functions/update-campaign-runs/harness/update-bench.ts';
import { argumentsOf, fakeDeps, textOf, linesOf } from './fake-deps.ts';

const campaignId = '019ba000-0000-7000-8000-000000000201';
const scannerId = '019ba000-0000-7000-8000-000000000701';
const createdAt = '2026-01-05T08:00:00.000Z';

/** A project with one scanner of that version, and a key that must not be read. */
export function aProject(version: string, more: GatewayConfig = {}): GatewayConfig {
  return {
    scanners: [{ id: scannerId, version, enabled: 'true', mode: 'block', apiKey: 'sk-secret' }],
    packages: [],
    providers: [{ id: 'main', name: 'Main model' }],
    providerRouting: 'default',
    ...more,
  };
}

const aCampaign = { name: 'Chat bot nightly', description: 'What it must refuse', attacks: [{ name: 'Role play' }] };

interface Options {
  readonly mode?: 'observe';
  readonly nightly?: Partial<ResolvedRun>;
  /** How the gateway takes `configAt`. @default 'looks-back' */
  readonly gateway?: 'looks-back' | 'ignores' | 'refuses';
}

/**
 * The worker of campaign runs with its ledger, a gateway that keeps the history of what is changed
 * at it, and the command against both.
 */
export function createEvidenceBench({ mode, nightly = {}, gateway: manner = 'looks-back' }: Options = {}) {
  const common = {
    guards: { target: 'chat-bot', overlap: 'skip' },
    campaign: 'chat-bot',
    campaignId,
    project: 'chat-app',
  } as const;
  const runs: Readonly<Record<string, ResolvedRun>> = {
    nightly: {
      ...common,
      name: 'nightly',
      campaignRunIds: nightlyIds,
      stopAfter: 'PT8H',
      ...nightly,
    },
    smoke: {
      ...common,
      name: 'smoke',
      campaignRunIds: smokeIds,
      stopAfter: 'PT30M',
    },
  };
  const bench = createUpdateBench({ runs, ...(mode === undefined ? {} : { mode }) });
  const projects = [{ at: createdAt, is: aProject('2026-01') }];
  const campaigns: { at: string; is: Partial<Campaign> }[] = [{ at: createdAt, is: aCampaign }];
  const asked: { of: string; configAt: string | undefined }[] = [];

  function at<Is>(history: readonly { at: string; is: Is }[], of: string, configAt: string | undefined): Is {
    asked.push({ of, configAt });
    const found = history.findLast((one) => manner === 'ignores' || one.at <= (configAt ?? ''));
    if (found === undefined || manner === 'refuses') {
      throw new BadStatusError(`GET ${of}`, { status: 422, details: { text: 'configAt', fields: [] } });
    }
    return found.is;
  }

  const gateway = {
    getProject: async ({ configAt }: { configAt?: string | undefined }) => ({
      project: { id: 'project-1', name: 'chat-app', createdAt, config: at(projects, 'project', configAt) },
    }),
    getCampaign: async ({ configAt }: { configAt?: string | undefined }) => ({
      campaign: { id: campaignId, createdAt, runCount: asked.length, ...at(campaigns, 'campaign', configAt) },
    }),
  };

  const fake = fakeDeps();
  const worker = {
    ledger: bench.ledger,
    gateway,
    gate: openGate,
    rateLimiter: { waitMs: () => 0, take: async () => {} },
    callBudgetMs: 14_000,
    config: { runs },
    remainingMs: () => 30_000,
  };
  const deps: CommandDeps = {
    ...fake.deps,
    now: async () => bench.now(),
    stage: {
      ...fake.deps.stage,
      ledger: async () => bench.ledger,
      acting: async () => bench.table,
      invoke: async (_arn, input) => ({ payload: JSON.stringify(await answerConfigAt(JSON.parse(input), worker)) }),
    },
  };

  async function evidence(...argv: readonly string[]): Promise<{ text: string; screen: string; data: Evidence }> {
    const result = await command.run(argumentsOf(command, ...argv), deps);
    const screen = linesOf(result, timesIn('Europe/Berlin')).join('\n');
    return { text: textOf(result), screen, data: result.data as Evidence };
  }

  return {
    ...bench,
    evidence,
    /** What the gateway was asked for. */
    asked,
    /** Delivers a command as of now, after a second. */
    send: async (fields: Partial<CampaignRunCommand>) => {
      bench.passMs(1000);
      return bench.deliver(aCommand({ run: 'nightly', issuedAt: bench.now().toISOString(), ...fields }));
    },
    configureProject: (is: GatewayConfig) => void projects.push({ at: bench.now().toISOString(), is }),
    configureCampaign: (is: Partial<Campaign>) =>
      void campaigns.push({ at: bench.now().toISOString(), is: { ...aCampaign, ...is } }),
  };
}

/** A night of that bench: started at ten, and stopped at six by a person. */
export async function aNight(options: Options = {}) {
  const bench = createEvidenceBench(options);
  await bench.send({ id: 'start-1', reason: 'CHG-1' });
  const origin = { kind: 'operator', name: 'grace' } as const;
  return { ...bench, endNight: async () => bench.send({ id: 'stop-1', action: 'stop', origin }) };
}
