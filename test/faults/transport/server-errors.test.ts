import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerText } from '../../integration/shared/gateway-client/raw-server.ts';
import { piiRule } from '../../unit/functions/register-datasets/upload-bench.ts';
import { afterApplying, refuse } from '../bench/doings.ts';
import { pollsOf, readableCampaign, runsTo, start, upload, uploadsTo } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
const soon = { 'retry-after': '120' };

describe('an error of the server', () => {
  it.each([500, 502, 504])('[A28] a %i parks an upload: it may have been applied', async (status) => {
    const gateway = await startRawGateway();
    gateway.always(afterApplying(refuse(status)));
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const result = await bench.deliver(body);
    bench.pass(3_600_000);
    await bench.deliver(body, { receiveCount: 2 });

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] });
    expect(await bench.row(upload)).toMatchObject({ parked: { httpStatus: status, requestSent: true } });
    expect(gateway.requests).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])('[A28 A29] a %i leaves a start in doubt that its campaign settles', async (status) => {
    const gateway = await startRawGateway();
    gateway.next(afterApplying(refuse(status)));
    const bench = runsTo(gateway, {}, readableCampaign);

    await bench.deliver(start);
    const result = await bench.deliver(start, { receiveCount: 2 });

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
    expect(bench.patches()).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])(
    '[A28 A29] a %i has a start sent again whose campaign cannot be read',
    async (status) => {
      const gateway = await startRawGateway();
      gateway.next(afterApplying(refuse(status)));
      const bench = runsTo(gateway);

      const first = await bench.deliver(start);
      const result = await bench.deliver(start, { receiveCount: 2 });

      expect(first).toMatchObject({ kind: 'later' });
      expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(bench.transitions()).toEqual(['starts']);
    },
  );

  it.each([500, 502, 503, 504])('[A28 A29] a %i has a listing ask again, at most twice', async (status) => {
    const gateway = await startRawGateway({ page: () => ({ packages: [{ id: 'p1', name: 'one' }] }) });
    const bench = pollsOf(gateway);

    gateway.next(refuse(status), refuse(status));
    await bench.poll();
    const known = bench.known();
    gateway.always(refuse(status));
    await expect(bench.poll()).rejects.toMatchObject({ status });

    expect(known).toEqual(['p1']);
    expect(gateway.requests).toHaveLength(6);
  });
});

/**
 * A front that is too busy to read: it answers 503 and closes, over unread bytes, so that an RST
 * follows the answer.
 */
async function startBusyFront(headers: Readonly<Record<string, string>>) {
  const sockets: Socket[] = [];
  const front = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket);
    // By then the request is there.
    setTimeout(() => socket.write(answerText(503, '{}', headers), () => socket.destroy()), 50);
  });
  await new Promise<void>((resolve) => {
    front.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void front.close());
  return {
    baseUrl: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    bytesRead: () => sockets.map((socket) => socket.bytesRead),
  };
}

describe('a 503', () => {
  it('[A29] a 503 without Retry-After parks an upload, and with one it waits and is registered once', async () => {
    const gateway = await startRawGateway();
    gateway.next(refuse(503), refuse(503, {}, soon));
    const bench = uploadsTo(gateway);
    const other = { key: 'datasets/pii/other.csv', versionId: 'v1' };
    const body = bench.put(other);

    const bare = await bench.deliver(bench.put(upload));
    const paused = await bench.deliver(body);
    bench.pass(120_000);
    const after = await bench.deliver(body, { receiveCount: 2 });

    expect(bare).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] });
    expect(paused).toMatchObject({ kind: 'later' });
    expect(paused.kind === 'later' && paused.delayMs).toBeGreaterThanOrEqual(120_000);
    expect(after).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect([...gateway.datasets.values()]).toEqual([1]);
  });

  it.each([
    ['with Retry-After: the upload waits', soon, { kind: 'later' }],
    ['without: the upload is parked', {}, { outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] }],
  ])(
    '[A31] a 503 before the body was read is classed by its status, not as a reset: %s',
    async (_name, headers, expected) => {
      const gateway = await startRawGateway();
      const front = await startBusyFront(headers);
      const bench = uploadsTo(gateway, { baseUrl: front.baseUrl, rules: [{ ...piiRule, name: 'n'.repeat(30_000) }] });

      const result = await bench.deliver(bench.put(upload));

      expect(result).toMatchObject(expected);
      expect(JSON.stringify(await bench.row(upload))).toContain('503');
      expect(front.bytesRead()).toEqual([0]);
    },
  );
});

describe('a status that proves that nothing was applied', () => {
  it.each([408, 425])('[A30] a %i sends an upload back to the queue, and it is registered once', async (status) => {
    const gateway = await startRawGateway();
    gateway.next(refuse(status));
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    bench.pass(60_000);
    const second = await bench.deliver(body, { receiveCount: 2 });

    expect(first).toMatchObject({ kind: 'later' });
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect([...gateway.datasets.values()]).toEqual([1]);
    expect(gateway.requests).toHaveLength(2);
  });

  it.each([408, 425])('[A30] a %i sends a start back without a doubt', async (status) => {
    const gateway = await startRawGateway();
    gateway.next(refuse(status));
    const bench = runsTo(gateway);

    await bench.deliver(start);
    const waiting = await bench.inFlight();
    const second = await bench.deliver(start);

    expect(waiting).toEqual([]);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
  });

  it('[A26] a 429 with Retry-After puts a start off for that long, without a doubt', async () => {
    const gateway = await startRawGateway();
    gateway.next(refuse(429, {}, soon));
    const bench = runsTo(gateway);

    const first = await bench.deliver(start);
    const waiting = await bench.inFlight();
    bench.passMs(120_000);
    const second = await bench.deliver(start);

    expect(first).toMatchObject({ kind: 'later' });
    expect(first.kind === 'later' && first.delayMs).toBeGreaterThanOrEqual(120_000);
    expect(waiting).toEqual([]);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
  });

  it('[A29] a 503 with Retry-After puts a start off for that long; where it repeats safely it may have begun', async () => {
    const gateway = await startRawGateway();
    gateway.next(refuse(503, {}, soon));
    const bench = runsTo(gateway);

    const first = await bench.deliver(start);
    const waiting = await bench.inFlight();
    bench.passMs(120_000);
    const second = await bench.deliver(start, { receiveCount: 2 });

    expect(first.kind === 'later' && first.delayMs).toBeGreaterThanOrEqual(120_000);
    expect(waiting).toHaveLength(1);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions()).toEqual(['starts']);
  });
});
