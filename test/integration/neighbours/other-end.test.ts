import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startGateway } from '#gateway/server.ts';
import { isOwnCaller, isOwnListener } from '#shared/net/connection-owner.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import { startAsOtherUser, whyNoOtherUser } from './other-user.ts';

const why = whyNoOtherUser();
if (why !== undefined) process.stderr.write(`SKIPPED: who is at the other end of a connection: ${why}\n`);

let server: Server;
const sockets: Socket[] = [];

const token = async () => 'canary-of-the-gateway';

/** A server at an address, and both ends of a connection to it. */
async function connection(at: string, to: string): Promise<{ caller: Socket; accepted: Socket }> {
  server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, at);
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, to);
  sockets.push(caller);
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(caller, 'connect')])) as [
    [Socket],
    unknown,
  ];
  return { caller, accepted };
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer()
    .on('error', () => resolve(false))
    .listen(0, '::1', () => probe.close(() => resolve(true)));
});

describe('a connection of one’s own', () => {
  const ways: readonly (readonly [at: string, to: string])[] = [
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
  ];
  const overIpv6: typeof ways = [
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ];

  test.each([...ways, ...(hasIpv6 ? overIpv6 : [])])(
    'is known at both ends: listening at %s, called at %s',
    async (at, to) => {
      const { caller, accepted } = await connection(at, to);

      expect({ caller: await isOwnCaller(accepted), listener: isOwnListener(caller) }).toEqual({
        caller: true,
        listener: true,
      });
    },
  );

  // The kernel gives such a socket to user 0, as it does those of root.
  test.skipIf(process.platform !== 'linux')('is not known once its caller has closed it', async () => {
    const { caller, accepted } = await connection('127.0.0.1', '127.0.0.1');
    caller.destroy();
    await once(caller, 'close');

    expect(await isOwnCaller(accepted)).toBe(false);
  });
});

describe.skipIf(why !== undefined)('the connection of another user', () => {
  test('is known where it is accepted', async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connections = once(server, 'connection');
    const script = `require('node:net').connect(input.port, '127.0.0.1', () => console.log('connected'));`;
    const { child } = await startAsOtherUser(script, { port });
    onTestFinished(() => void child.kill());
    const [accepted] = (await connections) as [Socket];
    sockets.push(accepted);

    expect(await isOwnCaller(accepted)).toBe(false);
  });

  // A gateway that was down gave its token to any user who listened on its port.
  test('gets no token of a gateway by listening on its port', async () => {
    const { child, firstLine } = await startAsOtherUser(
      `const server = require('node:http').createServer((request, response) => {
         console.log(JSON.stringify(request.headers));
         response.end('{}');
       }).listen(0, '127.0.0.1', () => console.log(server.address().port));`,
      {},
    );
    onTestFinished(() => void child.kill());
    let received = '';
    child.stdout?.on('data', (chunk) => (received += String(chunk)));
    const client = createGatewayClient({
      baseUrl: `http://127.0.0.1:${firstLine}`,
      tokenProvider: { get: token, refresh: token },
      random: () => 0,
    });
    onTestFinished(async () => client.close());

    await expect(client.getProject({ project: 'any' })).rejects.toMatchObject({
      requestSent: false,
      cause: { message: expect.stringContaining('runs as another user of this machine') },
    });
    expect(received).toBe('');
  });

  test('reads nothing of the control surface of a gateway', async () => {
    const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['good'] });
    onTestFinished(async () => gateway.close());
    const ask = `return Promise.all(input.paths.map(async (path) => (await fetch(input.url + path)).status));`;
    const paths = ['/_control/requests', '/_control/datasets', '/backend/v1/endpoints'];

    const { firstLine } = await startAsOtherUser(ask, { url: gateway.url, paths });

    expect(JSON.parse(firstLine)).toEqual([403, 403, 401]);
    expect((await fetch(`${gateway.url}/_control/requests`)).status).toBe(200);
  });
});
