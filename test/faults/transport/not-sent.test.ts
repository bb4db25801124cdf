import { describe, expect, it } from 'vitest';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { loopbackCertificate } from '../../integration/shared/gateway-client/certificates.ts';
import type { UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { nameServer, type Resolution, startPathProxy } from '../bench/path-proxy.ts';
import { isLinux } from '../bench/is-linux.ts';
import { type RawGateway, startRawGateway } from '../bench/raw-gateway.ts';
import { runsTo, start, upload, uploadsTo } from '../bench/workers.ts';

/**
 * Nothing has left: the upload waits in the queue as if it had never been tried, and is registered
 * when the way is free.
 */
async function waitsAndIsRegistered(bench: UploadBench, gateway: RawGateway, freeTheWay: () => void): Promise<void> {
  const body = bench.put(upload);

  const first = await bench.deliver(body);
  const waiting = await bench.row(upload);
  freeTheWay();
  bench.pass(60_000);
  const second = await bench.deliver(body, { receiveCount: 2 });

  expect(first).toMatchObject({ kind: 'later', why: expect.stringContaining('was not sent') });
  expect(waiting).toMatchObject({ state: 'READY', crashes: 0 });
  expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect([...gateway.datasets.values()]).toEqual([1]);
  expect(gateway.requests).toHaveLength(1);
  expect(bench.events.map((event) => event.type)).toEqual(['DatasetRegistered']);
}

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

describe('a name that does not resolve', () => {
  it.each<Resolution>(['ENOTFOUND', 'EAI_AGAIN'])(
    '[A1] a name that does not resolve (%s) keeps an upload in the queue, and it is registered when it does',
    async (failure) => {
      const gateway = await startRawGateway();
      const names = nameServer(failure);
      const bench = uploadsTo(gateway, { baseUrl: `http://localhost:${gateway.port}` });

      await waitsAndIsRegistered(bench, gateway, () => names.resolve('127.0.0.1'));

      expect(names.lookups()).toBe(4);
      expect(attemptsOf(bench)).toEqual(triedThreeTimes);
    },
  );

  it('[A1] a name that does not resolve keeps a start in the queue, without a doubt about its run', async () => {
    const gateway = await startRawGateway();
    const names = nameServer('ENOTFOUND');
    const bench = runsTo(gateway, { baseUrl: `http://localhost:${gateway.port}` });

    const first = await bench.deliver(start);
    const waiting = await bench.inFlight();
    names.resolve('127.0.0.1');
    const second = await bench.deliver(start);

    expect(first).toMatchObject({ kind: 'later' });
    expect(waiting).toEqual([]);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
  });
});

describe('a gateway that has moved', () => {
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
});

describe('a connection that does not come about', () => {
  it.runIf(isLinux)(
    '[A2] a closed port keeps an upload in the queue, and it is registered once the port is open',
    async () => {
      const gateway = await startRawGateway();
      const names = nameServer('127.0.0.2');
      const bench = uploadsTo(gateway, { baseUrl: `http://localhost:${gateway.port}` });

      await waitsAndIsRegistered(bench, gateway, () => names.resolve('127.0.0.1'));

      expect(attemptsOf(bench)).toEqual(triedThreeTimes);
    },
  );

  it('[A3] a TLS handshake that is never answered ends at the deadline to connect, and the upload is tried again', async () => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.next('hold');
    const bench = uploadsTo(gateway, { ...options, timeouts: { connectMs: 200 } });

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(attemptsOf(bench)).toEqual([false, true]);
    expect(proxy.connections()).toBe(2);
    expect([...gateway.datasets.values()]).toEqual([1]);
  });

  it('[A4] a reset at accept keeps an upload in the queue, and it is registered when the way is free', async () => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.always('reset-at-accept');
    const bench = uploadsTo(gateway, options);

    await waitsAndIsRegistered(bench, gateway, () => proxy.always('pass'));

    expect(attemptsOf(bench)).toEqual(triedThreeTimes);
  });

  it('[A5] a reset in the TLS handshake keeps an upload in the queue too, although its code is that of any reset', async () => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.always('reset-in-handshake');
    const bench = uploadsTo(gateway, options);

    await waitsAndIsRegistered(bench, gateway, () => proxy.always('pass'));

    expect(attemptsOf(bench)).toEqual(triedThreeTimes);
  });

  it('[A4 A5] one reset of each kind costs an upload two repeats in process, and it is registered once', async () => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.next('reset-at-accept', 'reset-in-handshake');
    const bench = uploadsTo(gateway, options);

    const result = await bench.deliver(bench.put(upload));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect([...gateway.datasets.values()]).toEqual([1]);
  });

  it('[A11] a connection that is given up while it is made leaves the upload in the queue, not parked', async () => {
    const { gateway, proxy, options } = await behindProxy();
    proxy.always('hold');
    const bench = uploadsTo(gateway, { ...options, timeouts: { totalMs: 500, connectMs: 60_000 } });

    await waitsAndIsRegistered(bench, gateway, () => proxy.always('pass'));

    expect(proxy.connections()).toBe(2);
  });
});
