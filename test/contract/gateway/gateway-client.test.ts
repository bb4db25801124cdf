import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import { runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const giveToken = () => Promise.resolve(token);
let gateway: TestGateway;
let client: GatewayClient;
beforeAll(async () => {
  gateway = await runningGateway();
  client = createGatewayClient({ baseUrl: gateway.url, tokenProvider: { get: giveToken, refresh: giveToken } });
});
afterAll(async () => {
  await client.close();
  await gateway.close();
});

test('our own client understands every answer of our own gateway', async () => {
  const { project } = await client.getProject({ project: 'chat-app' });
  const { endpoints } = await client.listEndpoints();
  const { campaign } = await client.getCampaign({ campaignId: seedIds.campaigns.chatBotNightly });
  const { id } = await client.createDataset({ fileId: 'f', name: 'by the client' });
  await client.updateCampaignRun({ campaignRunId: seedIds.campaignRuns.nightly[0], status: 'running' });

  expect(project.id).toBe(seedIds.projects.chatApp);
  expect(endpoints).toHaveLength(3);
  expect(campaign.runCount).toBe(41);
  expect((await gateway.get('/_control/datasets')).body.datasets?.map((dataset) => dataset.id)).toEqual([id]);
  expect((await gateway.get('/_control/campaign-runs')).body.campaignRuns?.[0]?.status).toBe('running');
});

test('our own client walks the whole listing', async () => {
  const ids: unknown[] = [];
  for await (const page of client.listScannerPackages({ source: 'vendor', sortBy: 'created_at', ascending: true })) {
    ids.push(...page.packages.map((one) => one.id));
  }

  expect(new Set(ids).size).toBe(183);
});
