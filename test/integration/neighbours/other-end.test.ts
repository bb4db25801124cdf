import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startGateway } from '#gateway/server.ts';
import { isOwnCaller, isOwnListener, limitConnections } from '#shared/net/connection-owner.ts';
import { createGatewayClient } from '#shared/gateway-client/index.ts';
import { createSqsClient } from '#shared/aws/queue.ts';
import { startTestConsole } from '../console/harness/test-console.ts';
import { startLocalAws } from '../local/aws/start-local-aws.ts';
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

  // 24,000 half requests took every descriptor of a stage.
  test.each<readonly [string, () => Promise<Served>]>([
    ['a stage', servedStage],
    ['an embedded gateway', servedGateway],
    ['a console', servedConsole],
  ])('ends at %s, whatever it sends, and its owner is answered', async (_, start) => {
    const { url, askAsOwner } = await start();
    const port = Number(new URL(url).port);
    const sends = [
      `GET /_control/requests HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
      '',
    ];
    const script = `const all = Array.from({ length: 60 }, (_, n) => new Promise((resolve) => {
        let received = '';
        require('node:net').connect(input.port, '127.0.0.1', function () { this.write(input.sends[n % input.sends.length]); })
          .on('data', (data) => (received += data)).on('error', () => {}).on('close', () => resolve(received));
      }));
      return (await Promise.all(all)).join('');`;

    const { firstLine } = await startAsOtherUser(script, { port, sends });

    expect(JSON.parse(firstLine)).toBe('');
    expect(await askAsOwner()).toBe(200);
  });
});

interface Served {
  readonly url: string;
  /** The status of an answer. */
  readonly askAsOwner: () => Promise<number>;
}

async function servedStage(): Promise<Served> {
  const stage = await startLocalAws();
  onTestFinished(stage.close);
  const ask = () =>
    createSqsClient(stage.developer).send(new GetQueueAttributesCommand({ QueueUrl: stage.queueUrl('Jobs') }));
  return { url: stage.door.url, askAsOwner: async () => (await ask()).$metadata.httpStatusCode ?? 0 };
}

async function servedGateway(): Promise<Served> {
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['good'] });
  onTestFinished(async () => gateway.close());
  return { url: gateway.url, askAsOwner: async () => (await fetch(`${gateway.url}/_control/requests`)).status };
}

async function servedConsole(): Promise<Served> {
  const { url, close } = await startTestConsole();
  onTestFinished(close);
  return { url, askAsOwner: async () => (await fetch(url)).status };
}

test('a server that is full refuses more connections, says so once with its port, and takes the next one', async () => {
  const warnings: string[] = [];
  server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  limitConnections(server, { most: 2, warn: (line) => warnings.push(line) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const call = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const [first] = [await call(), await call()];

  for (const refused of [await call(), await call()]) await once(refused.resume(), 'close');
  expect(warnings).toEqual([
    `port ${port} has 2 connections and refuses more: end the program that holds them (\`ss -tnp\` lists them)`,
  ]);
  const taken = once(server, 'connection');
  first?.end();
  sockets[0]?.destroy();
  await vi.waitFor(async () => expect(await connectionsOf(server)).toBeLessThan(2));
  await call();
  await taken;
});

async function connectionsOf(of: Server): Promise<number> {
  return new Promise((resolve) => of.getConnections((_, count) => resolve(count)));
}
