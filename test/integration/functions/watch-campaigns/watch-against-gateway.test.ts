import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createGatewayClient, type GatewayClient } from '#shared/gateway-client/index.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { aConfirmation, aRun, createWatchBench, minute } from '../../../unit/functions/watch-campaigns/watch-bench.ts';

const campaignId = seedIds.campaigns.chatBotNightly;
const [first, second] = seedIds.campaignRuns.nightly;
const campaigns = [{ campaignId, names: ['chat-bot'], runs: ['nightly'], target: 'chat-bot' }];
const config = { mode: 'act' as const, campaigns };
const token = async () => 'good';
let bench: ReturnType<typeof createWatchBench>;
let gateway: RunningGateway;
let client: GatewayClient;

beforeEach(async () => {
  bench = createWatchBench();
  gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['good'], now: bench.now });
  client = createGatewayClient({
    baseUrl: gateway.url,
    tokenProvider: { get: token, refresh: token },
    repeatGets: false,
  });
});
afterEach(async () => {
  await client.close();
  await gateway.close();
});

const tickFor = async (ms: number) => bench.tickFor(ms, { gateway: client, config });

/** A person starts a run in the vendor's own pages. */
async function startByHand(campaignRunId: string): Promise<void> {
  const answer = await fetch(`${gateway.url}/_control/campaign-runs/${campaignRunId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'running' }),
  });
  expect(answer.ok).toBe(true);
}

test('a start by hand is reported with the run that the gateway names, once', async () => {
  await tickFor(minute);
  await startByHand(second);

  await tickFor(30 * minute);

  expect(bench.events).toMatchObject([
    {
      type: 'CampaignStartedElsewhere',
      campaigns: ['chat-bot'],
      starts: 1,
      before: { runCount: 41, lastRunAt: '2026-02-27T22:00:04.118Z' },
      after: { runCount: 42, lastRunAt: '2026-11-20T22:01:00.000Z' },
      lastRun: second,
    },
  ]);
});

test('a start of ours is confirmed by what it changes, and is ours alone', async () => {
  await tickFor(minute);
  await bench.put(aRun(aConfirmation({ campaignId }), { campaignRunId: first }));
  await client.updateCampaignRun({ campaignRunId: first, status: 'running' });

  await tickFor(30 * minute);

  const pk = ledgerKeys.confirmation({ campaignRunId: first, commandId: 'start-1' });
  expect(await bench.ledger.read<ConfirmationRow>(pk)).toMatchObject({ confirmed: { reads: 42 } });
  expect(bench.events).toEqual([]);
});

test('a gateway that is told to start a run and never does is told on', async () => {
  await tickFor(minute);
  await bench.put(aRun(aConfirmation({ campaignId }), { campaignRunId: first }));

  await tickFor(30 * minute);

  expect(bench.events).toMatchObject([{ type: 'CampaignStartUnconfirmed', campaignRunId: first, reads: 41 }]);
});

test('a gateway that answers nothing for an hour costs no start by hand', async () => {
  await tickFor(minute);
  await fetch(`${gateway.url}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { method: 'GET', path: '/backend/v1/campaigns' }, times: 'forever', reset: true }),
  });
  await startByHand(second);
  await tickFor(60 * minute);
  expect(bench.events).toEqual([]);
  await fetch(`${gateway.url}/_control/faults`, { method: 'DELETE' });

  await tickFor(2 * minute);

  expect(bench.events).toMatchObject([{ type: 'CampaignStartedElsewhere', starts: 1 }]);
});
