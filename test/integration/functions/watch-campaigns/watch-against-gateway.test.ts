import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { createGatewayClient, type GatewayClient } from '#shared/gateway-client/index.ts';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { aRunInFlight, aTarget } from '../../../builders/runs-in-flight.ts';
import { createWatchBench, minute } from '../../../unit/functions/watch-campaigns/watch-bench.ts';

const campaignId = seedIds.campaigns.chatBotNightly;
const [first, second] = seedIds.campaignRuns.nightly;
const token = async () => 'good';
let bench: ReturnType<typeof createWatchBench>;
let gateway: RunningGateway;
let client: GatewayClient;

beforeEach(async () => {
  bench = createWatchBench();
  const options = { port: 0, database: ':memory:', tokens: ['good'], profile: 'real', now: bench.now } as const;
  gateway = await startGateway(options);
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

const tickFor = async (ms: number) => bench.tickFor(ms, { gateway: client });
const confirmation = () => bench.ledger.read<ConfirmationRow>(ledgerKeys.confirmation(first));
const inOneMinute = () => new Date(bench.now().getTime() + minute).toISOString();

/** The rows as the start of the first run leaves them. */
async function startRows(): Promise<void> {
  const id: IdRow = { pk: ledgerKeys.runId(first), kind: 'run-id', campaignRunId: first, startId: 'start-1' };
  await bench.put(id);
  await bench.put(aTarget(aRunInFlight({ campaignRunId: first, campaignId, due: inOneMinute() })));
}

test('a start of ours is confirmed by the run that its campaign names', async () => {
  await startRows();
  await client.updateCampaignRun({ campaignRunId: first, startAt: inOneMinute() });

  await tickFor(10 * minute);

  expect(await confirmation()).toMatchObject({ confirmed: { by: 'lastRun' } });
  expect(bench.events).toEqual([]);
});

test('a run that the gateway never began is reported, and its campaign says which run was the last', async () => {
  await startRows();

  await tickFor(32 * minute);

  expect(bench.events).toMatchObject([{ type: 'CampaignStartUnconfirmed', campaignRunId: first }]);
});

test('a run that was started at the gateway itself is kept for status', async () => {
  await startRows();
  await tickFor(5 * minute);
  await client.updateCampaignRun({ campaignRunId: second, startAt: inOneMinute() });

  await tickFor(5 * minute);

  expect(await confirmation()).toMatchObject({ lastRun: second });
});

test('a gateway that answers nothing for an hour only delays: nothing is missing before it was read', async () => {
  await startRows();
  await client.updateCampaignRun({ campaignRunId: first, startAt: inOneMinute() });
  await fetch(`${gateway.url}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { method: 'GET', path: '/backend/v1/campaigns' }, times: 'forever', reset: true }),
  });
  await tickFor(60 * minute);
  expect(bench.events).toEqual([]);
  await fetch(`${gateway.url}/_control/faults`, { method: 'DELETE' });

  await tickFor(2 * minute);

  expect(await confirmation()).toMatchObject({ confirmed: { by: 'lastRun' } });
  expect(bench.events).toEqual([]);
});
