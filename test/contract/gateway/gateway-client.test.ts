import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { profileNames } from '#gateway/model/profile.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import { aDataset, runningGateway, token } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const giveToken = () => Promise.resolve(token);
const now = new Date('2026-03-02T12:00:00Z');

describe.each(profileNames)('profile %s', (profile) => {
  let gateway: TestGateway;
  let client: GatewayClient;
  beforeAll(async () => {
    gateway = await runningGateway({ profile, now: () => now });
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
    const { id } = await client.createDataset(aDataset);
    await client.updateCampaignRun({
      campaignRunId: seedIds.campaignRuns.nightly[0],
      startAt: '2026-03-02T22:00:00Z',
      status: 'cancelled',
    });

    expect(project.id).toBe(seedIds.projects.chatApp);
    expect(endpoints).toHaveLength(3);
    expect(campaign.runCount).toBe(41);
    expect((await gateway.get('/_control/datasets')).body.datasets?.map((dataset) => dataset.id)).toEqual([id]);
    expect((await gateway.get('/_control/campaign-runs')).body.campaignRuns?.[0]?.status).toBe('cancelled');
  });

  test('our own client walks the whole listing', async () => {
    const ids: unknown[] = [];
    for await (const page of client.listScannerPackages({ source: 'vendor', sortBy: 'created_at', ascending: true })) {
      ids.push(...page.packages.map((one) => one.id));
    }

    expect(new Set(ids).size).toBe(183);
  });
});
