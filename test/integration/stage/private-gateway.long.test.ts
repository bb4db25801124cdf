import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { internalCertificate, privateAuthority } from '../shared/gateway-client/certificates.ts';
import { startConnectProxy } from '../shared/gateway-client/connect-proxy.ts';
import { openInProcessStage } from './harness/in-process-stage.ts';

/**
 * Speaks TLS with a certificate of the private authority before a server that speaks plain HTTP.
 */
async function startTlsBefore(url: string): Promise<number> {
  const target = Number(new URL(url).port);
  const server = createServer(internalCertificate, (client) => {
    const gateway = connect(target, '127.0.0.1');
    for (const socket of [client, gateway]) socket.on('error', () => {}); // a client that is done resets
    client.pipe(gateway).pipe(client);
    client.on('close', () => gateway.destroy());
    gateway.on('close', () => client.destroy());
    onTestFinished(() => void client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * The project's own configuration, with the authority's certificate beside it and the proxy in it.
 */
function configBehind(proxyUrl: () => string) {
  return (folder: string): string => {
    writeFileSync(join(folder, 'internal-ca.pem'), privateAuthority);
    const path = join(folder, 'automation.config.mjs');
    const own = pathToFileURL(join(process.cwd(), 'automation.config.ts')).href;
    const way = JSON.stringify({ caBundle: './internal-ca.pem', proxy: proxyUrl() });
    writeFileSync(
      path,
      `import stages from ${JSON.stringify(own)};
      export default { local: { ...stages.local, gateway: { ...stages.local.gateway, ...${way} } } };\n`,
    );
    return path;
  };
}

const answer = z.looseObject({ errorMessage: z.string().optional(), ok: z.boolean().optional() });

test('every function reaches a gateway that only the proxy can find and a private authority vouches for', async () => {
  // Its target is known once the gateway has started: the configuration is written before that and
  // names the proxy.
  const target = { port: 0 };
  const proxy = await startConnectProxy(() => target.port);
  const it = await openInProcessStage({
    configIn: configBehind(() => proxy.url),
    async addressOf(gatewayUrl) {
      target.port = await startTlsBefore(gatewayUrl);
      return 'https://gateway.internal.example';
    },
  });
  onTestFinished(it.close);
  const invoke = async (...call: Parameters<typeof it.invoke>) =>
    answer.parse(JSON.parse((await it.invoke(...call)).payload));

  for (const [name, event] of [
    ['poll-scanner-packages', { watch: 'vendor' }],
    ['watch-projects', { watch: 'chat-app' }],
    ['watch-campaigns', { tick: 'watch-campaigns' }],
  ] as const) {
    expect(await invoke(name, {}), `${name}, the empty event`).toMatchObject({ ok: true });
    expect((await invoke(name, event)).errorMessage, name).toBeUndefined();
  }
  expect(await invoke('register-datasets', {})).toMatchObject({ ok: true });
  const uploaded = await it.autopilot('upload', 'examples/datasets/prompt-injection.csv');
  const fired = await it.autopilot('fire', 'weeknights');

  expect(uploaded.stdout).toContain('registered with dataset id');
  expect(fired.stdout).toContain('start nightly: begins');
  expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(new Set(['gateway.internal.example:443']));
  expect(proxy.others).toEqual([]);
});
