import { describe, expect, it } from 'vitest';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { loopbackCertificate } from '../../integration/shared/gateway-client/certificates.ts';
import type { UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { nameServer, type PathProxy, type Resolution, startPathProxy } from '../bench/path-proxy.ts';
import { isLinux } from '../bench/is-linux.ts';
import { type RawGateway, startRawGateway } from '../bench/raw-gateway.ts';
import { runsTo, start, upload, uploadsTo } from '../bench/workers.ts';

/** A way to a gateway that is closed until it is freed. */
interface ClosedWay {
  readonly gateway: RawGateway;
  readonly options: Partial<GatewayClientOptions>;
  readonly free: () => void;
}

/** A name that resolves so at first. */
const named = (first: Resolution) => async (): Promise<ClosedWay> => {
  const gateway = await startRawGateway();
  const names = nameServer(first);
  const options = { baseUrl: `http://localhost:${gateway.port}` };
  return { gateway, options, free: () => names.resolve('127.0.0.1') };
};

/** A gateway that speaks TLS, behind a proxy that may break what comes before HTTP. */
async function behindProxy() {
  const gateway = await startRawGateway({ tls: loopbackCertificate });
  const proxy = await startPathProxy(gateway.port);
  return {
    gateway,
    proxy,
    options: { baseUrl: `https://127.0.0.1:${proxy.port}`, caBundle: loopbackCertificate.cert },
  };
}

const broken =
  (passage: Parameters<PathProxy['always']>[0], timeouts: GatewayClientOptions['timeouts'] = {}) =>
  async (): Promise<ClosedWay> => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.always(passage);
    return { gateway, options: { ...options, timeouts }, free: () => proxy.always('pass') };
  };

/**
 * A call that was repeated in process for as long as one may be, then, at the next delivery, one
 * that came through.
 */
const triedThreeTimes = [false, false, false, true];

/** Of each attempt so far, whether a byte of its request left. */
function attemptsOf(bench: UploadBench): unknown[] {
  const attempts = bench.lines.filter(({ event }) => event === logEvents.gatewayRequest);
  return attempts.map(({ fields }) => fields?.['requestSent']);
}

const closedPort = ['[A2] a closed port', named('127.0.0.2'), triedThreeTimes] as const;

describe('nothing has left', () => {
  it.each<readonly [string, () => Promise<ClosedWay>, readonly boolean[]]>([
    ['[A1] a name that is unknown', named('ENOTFOUND'), triedThreeTimes],
    ['[A1] a name server that fails', named('EAI_AGAIN'), triedThreeTimes],
    ...(isLinux ? [closedPort] : []),
    ['[A4] a reset at accept', broken('reset-at-accept'), triedThreeTimes],
    [
      '[A5] a reset in the TLS handshake, whose code is that of any reset',
      broken('reset-in-handshake'),
      triedThreeTimes,
    ],
    [
      '[A11] a connection that is given up while it is made',
      broken('hold', { totalMs: 500, connectMs: 60_000 }),
      [false, true],
    ],
  ])(
    '%s keeps an upload in the queue as if never tried, and it is registered once the way is free',
    async (_name, open, tries) => {
      const { gateway, options, free } = await open();
      const bench = uploadsTo(gateway, options);
      const body = bench.put(upload);

      const first = await bench.deliver(body);
      const waiting = await bench.row(upload);
      free();
      bench.pass(60_000);
      const second = await bench.deliver(body, { receiveCount: 2 });

      expect(first).toMatchObject({ kind: 'later', why: expect.stringContaining('was not sent') });
      expect(waiting).toMatchObject({ state: 'READY', crashes: 0 });
      expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(attemptsOf(bench)).toEqual(tries);
      expect([...gateway.datasets.values()]).toEqual([1]);
      expect(gateway.requests).toHaveLength(1);
      expect(bench.events.map((event) => event.type)).toEqual(['DatasetRegistered']);
    },
  );

  it('[A1] a name that does not resolve keeps a start in the queue, without a doubt about its run', async () => {
    const { gateway, options, free } = await named('ENOTFOUND')();
    const bench = runsTo(gateway, options);

    const first = await bench.deliver(start);
    const waiting = await bench.inFlight();
    free();
    const second = await bench.deliver(start);

    expect(first).toMatchObject({ kind: 'later' });
    expect(waiting).toEqual([]);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
  });

  it.each([
    ['[A3] a TLS handshake that is never answered, up to the deadline to connect,', ['hold'], [false, true]],
    ['[A4 A5] one reset of each kind', ['reset-at-accept', 'reset-in-handshake'], [false, false, true]],
  ] as const)('%s costs an upload repeats in process, and it is registered once', async (_name, passages, tries) => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.next(...passages);
    const bench = uploadsTo(gateway, { ...options, timeouts: { connectMs: 200 } });

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(attemptsOf(bench)).toEqual(tries);
    expect([...gateway.datasets.values()]).toEqual([1]);
  });
});

it.runIf(isLinux)('[A34] a gateway that has moved gets the next POST at its new address', async () => {
  const before = await startRawGateway();
  const after = await startRawGateway({ at: { host: '127.0.0.2', port: before.port } });
  const names = nameServer('127.0.0.1');
  const bench = uploadsTo(before, { baseUrl: `http://localhost:${before.port}` });
  const moved = { key: 'datasets/pii/moved.csv', versionId: 'v1' };

  await bench.deliver(bench.put(upload));
  names.resolve('127.0.0.2');
  const result = await bench.deliver(bench.put(moved));

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(before.requests).toHaveLength(1);
  expect([...after.datasets.values()]).toEqual([1]);
});
