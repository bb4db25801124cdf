import { describe, expect, it } from 'vitest';
import { createGatewayClient, GatewayError } from '#shared/gateway-client/index.ts';
import { canary, server, thrownBy, uuid } from './clients.ts';

const tokenProvider = { get: async () => canary, refresh: async () => canary };

describe('a client that is closed while a request is under way', () => {
  it.each(['patch', 'post'] as const)('still knows that a %s was sent, which is then made once', async (verb) => {
    const gateway = await server((socket) => {
      socket.destroy();
    });
    const client = createGatewayClient({ baseUrl: gateway.baseUrl, tokenProvider, random: () => 0 });

    const calling = thrownBy(() =>
      verb === 'patch'
        ? client.updateCampaignRun({ campaignRunId: uuid, status: 'stopped' })
        : client.createDataset({ name: 'pii', fileId: 'f1' }),
    );
    // The token is there, and the request is on its way to its connection.
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();

    const error = await calling;
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ requestSent: true });
    expect(gateway.requests).toHaveLength(1);
  });
});
