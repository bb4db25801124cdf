/** Runs made and listed: the embedded gateway and the strict peer answer our client alike. */
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { BadStatusError, createGatewayClient } from '#shared/gateway-client/index.ts';
import { peerToken, startPeer } from '../../peer/peer.ts';
import { peerIds } from '../../peer/seed.ts';
import { runningGateway, token } from './running-gateway.ts';

let now = new Date('2026-03-02T12:00:00Z');
afterEach(() => void (now = new Date('2026-03-02T12:00:00Z')));

const gateways = [
  ['the embedded gateway', token, seedIds.campaigns.chatBotSmoke, async () => runningGateway({ now: () => now })],
  ['the strict peer', peerToken, peerIds.campaigns.smoke, async () => startPeer({ now: () => now })],
] as const;

const startAt = '2028-03-02T12:00:00.000Z';

describe.each(gateways)('%s', (_name, good, campaignId, start) => {
  const get = async () => good;

  async function open() {
    const gateway = await start();
    const client = createGatewayClient({ baseUrl: gateway.url, tokenProvider: { get, refresh: get } });
    onTestFinished(async () => {
      await client.close();
      await gateway.close();
    });
    const made = { name: 'smoke abcdefgh', campaignId, providerIds: [peerIds.providers.first], startAt };
    const list = async () => client.listRuns({ name: made.name });
    return {
      client,
      made,
      list,
      refused: async (input: object) => client.makeRun({ ...made, ...input }).catch(statusOf),
    };
  }

  test('makes a run that is scheduled, listed by its name, and begins at its time', async () => {
    const { client, made, list } = await open();

    const { campaignRunId, date } = await client.makeRun(made);

    expect(date?.getTime()).toBeGreaterThan(0);
    const shown = { id: campaignRunId, name: made.name, status: 'scheduled' };
    expect((await list()).campaignRuns).toMatchObject([shown]);
    expect((await client.listRuns({ name: 'another' })).campaignRuns).toEqual([]);
    now = new Date(startAt);
    expect((await list()).campaignRuns).toEqual([]);
    const { campaignRun } = await client.readCampaignRun({ campaignRunId });
    expect([campaignRun.status, campaignRun.campaignId]).toEqual(['in_progress', campaignId]);
  });

  test('a run that was cancelled leaves the list', async () => {
    const { client, made, list } = await open();
    const { campaignRunId } = await client.makeRun(made);

    await client.updateCampaignRun({ campaignRunId, status: 'cancelled' });

    expect((await list()).campaignRuns).toEqual([]);
  });

  test('a long list has pages', async () => {
    const { client, made, list } = await open();
    await Promise.all(Array.from({ length: 101 }, async () => client.makeRun(made)));

    const { campaignRuns, next } = await list();
    const last = await client.listRuns({ name: made.name, cursor: next });

    expect(campaignRuns).toHaveLength(100);
    expect(new Set([...campaignRuns, ...last.campaignRuns].map(({ id }) => id)).size).toBe(101);
    expect(last.next).toBeUndefined();
  });

  test.each([
    ['a time that has passed', { startAt: '2026-03-02T12:00:00Z' }, 422],
    ['no provider', { providerIds: [] }, 422],
    ['six providers', { providerIds: Array.from({ length: 6 }, () => peerIds.providers.first) }, 422],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 422],
    ['an unknown campaign', { campaignId: peerIds.providers.second }, 404],
  ])('%s is refused, and nothing is made', async (_what, input, status) => {
    const { list, refused } = await open();

    expect(await refused(input)).toBe(status);
    expect((await list()).campaignRuns).toEqual([]);
  });
});

function statusOf(error: unknown): number | undefined {
  return error instanceof BadStatusError ? error.status : undefined;
}

test('the embedded gateway has neither operation under the profile of the interface', async () => {
  const gateway = await runningGateway({ profile: 'interface' });
  onTestFinished(async () => gateway.close());

  expect((await gateway.get('/backend/v1/campaign-runs')).status).toBe(404);
  expect((await gateway.send('POST', '/backend/v1/campaign-schedules', {})).status).toBe(404);
});
