/**
 * Runs the gateway client in a process of its own, to be frozen and measured. Argument: the base
 * URL. Each message is one call.
 */
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import type { ClientAnswer, ClientCall } from './client-process.ts';

const [baseUrl = ''] = process.argv.slice(2);
const token = async () => 'any-token';
let attempts = 0;
const client = createGatewayClient({
  baseUrl,
  tokenProvider: { get: token, refresh: token },
  random: () => 0,
  onRequest: () => {
    attempts += 1;
  },
});

const calls: Readonly<Record<ClientCall, () => Promise<unknown>>> = {
  post: () => client.createDataset({ fileId: 'f', idempotencyKey: `key-${Math.random()}` }),
  get: () => client.listScannerPackages().next(),
};

async function answerOf(call: ClientCall): Promise<ClientAnswer> {
  attempts = 0;
  const failure = await calls[call]().then(
    () => null,
    (error: unknown) => String(error),
  );
  return { failure, attempts, mostBytes: process.resourceUsage().maxRSS * 1024 };
}

process.on('message', (call: ClientCall) => {
  void answerOf(call).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
