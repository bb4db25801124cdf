import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { answerText } from '../../integration/shared/gateway-client/raw-server.ts';
import { piiRule } from '../../unit/functions/register-datasets/upload-bench.ts';
import { upload, uploadsTo } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';

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

it.each([
  ['with Retry-After: the upload waits', { 'retry-after': '120' }, { kind: 'later' }],
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
