/** The worker and the watcher against a gateway as strict as the real one, whose runs can be read. */
import { expect, onTestFinished, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { watchCampaigns } from '#functions/watch-campaigns/watch-campaigns.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { RunReadingsRow } from '#shared/ledger/rows/run-reading.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { Behaviour } from '../../../peer/behaviour.ts';
import { peerToken, startPeer } from '../../../peer/peer.ts';
import { aResolvedGateway } from '../../../builders/resolved-gateway.ts';
import { inFlightOf, minutes, outcomeOf } from '../../../unit/functions/update-campaign-runs/harness/guard-nights.ts';
import {
  aCommand,
  campaignId,
  createUpdateBench,
  nightlyIds,
  smokeIds,
  type UpdateBench,
} from '../../../unit/functions/update-campaign-runs/harness/update-bench.ts';

const token = async () => peerToken;
/** A peer with the runs of both pools, and a stage that reads them. */
async function openStage(
  options: Omit<Parameters<typeof createUpdateBench>[0] & object, 'gateway'> = {},
  behaviour: Partial<Behaviour> = {},
) {
  let clock: Pick<UpdateBench, 'now'> = { now: () => new Date(0) };
  const peer = await startPeer({ now: () => clock.now(), behaviour });
  onTestFinished(() => peer.close());
  const client = createGatewayClient({
    baseUrl: peer.url,
    tokenProvider: { get: token, refresh: token },
    repeatGets: false,
  });
  onTestFinished(() => client.close());
  const bench = createUpdateBench({ readsRuns: true, ...options, gateway: client });
  clock = bench;
  for (const id of [...nightlyIds, ...smokeIds]) peer.addRun({ id, campaignId, startAt: new Date('2030-01-01') });
  const lines: string[] = [];
  const counts: string[] = [];
  const line = (_event: string, sentence: string): void => void lines.push(sentence);

  async function tick(): Promise<void> {
    const sent: CampaignRunCommand[] = [];
    await watchCampaigns({
      ledger: bench.ledger,
      commands: { send: async (body) => void sent.push(JSON.parse(body)) },
      bus: { publish: async (type, detail) => void bench.events.push({ type, detail }) },
      gateway: client,
      gate: openGate,
      rateLimiter: { waitMs: () => 0, take: async () => {} },
      callBudgetMs: 17_000,
      remainingMs: () => 60_000,
      config: { mode: 'act', confirmWithin: {}, gateway: aResolvedGateway({ readsRuns: true }) },
      reports: {
        log: { debug: line, info: line, warn: line, error: line },
        count: (metric, value) => void (value > 0 && counts.push(metric)),
      },
      now: bench.now,
    });
    for (const command of sent) await bench.deliver(command);
  }

  return {
    ...bench,
    peer,
    lines,
    counts,
    reads: () => peer.requests.filter(({ method, path }) => method === 'GET' && path.includes('/campaign-runs/')),
    cancels: () => peer.effects('cancelled'),
    start: (id: string, run = 'nightly') => bench.deliver(aCommand({ id, run, issuedAt: bench.now().toISOString() })),
    async tickFor(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += minutes(1)) {
        bench.passMs(minutes(1));
        await tick();
      }
    },
  };
}

test('a run that ends by itself frees its target within two minutes: a retest after it goes out', async () => {
  const stage = await openStage();
  await stage.start('tonight');
  await stage.tickFor(minutes(48)); // a minute ahead, and 45 of its own

  await stage.start('retest', 'smoke');

  expect(await outcomeOf(stage, 'retest')).toMatchObject({ kind: 'applied' });
  await stage.tickFor(minutes(5));
  expect(await inFlightOf(stage)).toMatchObject([{ startId: 'retest' }]);
  expect(stage.cancels()).toEqual([]);
  expect(stage.lines).toContainEqual(expect.stringContaining('nightly: complete after'));
});

test.each([404, 405] as const)(
  'a gateway that answers %i is asked once an hour, and all else is as before',
  async (readsRuns) => {
    const stage = await openStage({}, { readsRuns });
    await stage.start('tonight');

    await stage.tickFor(minutes(9 * 60));

    expect(stage.reads().length).toBeLessThanOrEqual(9);
    expect(await stage.ledger.read<RunReadingsRow>(ledgerKeys.runReadings())).toMatchObject({ status: readsRuns });
    expect(stage.events.map(({ type }) => type)).toContain('CampaignRunStopped');
    expect(await inFlightOf(stage)).toEqual([]);
  },
);
