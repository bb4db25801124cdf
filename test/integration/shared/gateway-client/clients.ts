import { afterEach } from 'vitest';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { GatewayClient, GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { sendJson, startRawServer } from './raw-server.ts';
import type { RawServer, RawServerOptions, Respond } from './raw-server.ts';

/** The token of these tests. If it turns up outside a request, something leaks. */
export const canary = 'canary-7f3a9c/Zx+token==';
export const uuid = '0190a5c2-7c1e-7a3b-9d4e-1f2a3b4c5d6e';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Starts a server that ends with the test. */
export async function server(respond: Respond, options?: RawServerOptions): Promise<RawServer> {
  const started = await startRawServer(respond, options);
  cleanups.push(() => started.close());
  return started;
}

/** Makes a client that ends with the test: quick repeats, short deadlines. */
export function clientOf(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const client = createGatewayClient({
    baseUrl,
    tokenProvider: { get: async () => canary, refresh: async () => canary },
    random: () => 0,
    ...options,
  });
  cleanups.push(() => client.close());
  return client;
}

/** What a call throws; undefined if it succeeds. */
export async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** A gateway that answers each request alike. */
export async function answering(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return server((socket) => sendJson(socket, status, body, headers));
}
