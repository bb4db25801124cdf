import { describe, expect, it } from 'vitest';
import { GatewayError } from '#shared/gateway-client/index.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { loopbackCertificate } from '../../integration/shared/gateway-client/certificates.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { createPollBench } from '../../unit/functions/poll-scanner-packages/poll-bench.ts';
import { answerWell, loginPage, refuse } from '../bench/doings.ts';
import type { Doing } from '../bench/doings.ts';
import { uploadStage } from '../bench/edges.ts';
import type { RawGatewayOptions } from '../bench/raw-gateway.ts';
import { putMany, workOff } from '../bench/workers.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A stage whose uploads and polls share one gate. */
async function stage(listening: RawGatewayOptions = {}) {
  const { gateway, uploads, gate } = await uploadStage(listening);
  const polls = createPollBench();
  const client = clientOf(gateway.baseUrl, { repeatGets: false });
  const pollGate = gate.environment();
  return {
    gateway,
    uploads,
    gate,
    poll: () => polls.poll([], { deps: { gateway: client, gate: pollGate } }),
    sent: (method: string) => gateway.requests.filter((request) => request.method === method).length,
    states: () => uploads.ledger.all().flatMap((row) => (row.kind === 'upload' ? [row.state] : [])),
  };
}

describe('a failure that says that no worker can call', () => {
  it.each<readonly [string, Doing]>([
    ['[A21] a 401 of an upload', refuse(401)],
    ['[A23] a 404 of an upload', (exchange) => refuse(exchange.request.method === 'GET' ? 401 : 404)(exchange)],
  ])('%s closes the gate at once: no other upload is sent, and none is parked', async (_name, doing) => {
    const { gateway, uploads, gate, sent, states } = await stage();
    gateway.always(doing);

    const { open } = await workOff(uploads, putMany(uploads, 10), 10 * minute);

    expect(open).toBe(10);
    expect(sent('POST')).toBe(1);
    expect(states()).toEqual(['READY']);
    expect(gate.counted.get(metricNames.gateClosed)).toBeGreaterThan(0);
  });

  it('[A6] a certificate that is not trusted closes the gate at once, and rings', async () => {
    const { gateway, uploads, gate, states } = await stage({ tls: loopbackCertificate });

    const { open } = await workOff(uploads, putMany(uploads, 10), minute);

    expect(open).toBe(10);
    expect(gateway.requests).toEqual([]);
    expect(states()).toEqual(['READY']);
    expect(await gate.row()).toMatchObject({ closed: {}, reason: expect.stringContaining('certificate') });
    expect(gate.counted.get(metricNames.gateClosed)).toBeGreaterThan(0);
  });

  it.each<readonly [string, Doing]>([
    ['[A14] a login page for a poll', loginPage],
    ['[A21] a 401 of a poll', refuse(401)],
    ['[A23] a 404 of a poll', refuse(404)],
  ])('%s closes the gate for the uploads too', async (_name, doing) => {
    const { gateway, uploads, poll, sent } = await stage();
    gateway.always(doing);
    await expect(poll()).rejects.toBeInstanceOf(GatewayError);

    await workOff(uploads, putMany(uploads, 3), 0);

    expect(sent('POST')).toBe(0);
  });

  it('[A21] I14: a 401 for 23 hours parks nothing, costs one probe every few minutes, and ends with each upload registered once', async () => {
    const { gateway, uploads, gate, sent, states } = await stage();
    gateway.always(refuse(401));
    const bodies = putMany(uploads, 12);

    const out = await workOff(uploads, bodies, 23 * hour);
    const calls = { probes: sent('GET'), posts: sent('POST') };
    gateway.always(answerWell);
    const back = await workOff(uploads, bodies, 50 * minute);

    expect(out.open).toBe(12);
    expect(calls.posts).toBe(1);
    expect(calls.probes).toBeGreaterThan(10);
    // Not more often than every 4 minutes, once the first few have failed.
    expect(calls.probes).toBeLessThan((23 * 60) / 4 + 4);
    expect(gate.counted.get(metricNames.authRefused)).toBe(calls.probes + 1);
    expect(back.open).toBe(0);
    expect(states()).toEqual(Array(12).fill('APPLIED'));
    expect(gateway.datasets.size).toBe(12);
  });
});

describe('failures that may be about one upload', () => {
  it.each<readonly [string, Doing, string]>([
    ['[A22] a 403 of different uploads', refuse(403), 'READY'],
    ['[A28] a 500 of different uploads', refuse(500), 'PARKED'],
  ])('%s, three in a row, closes the gate: no fourth is sent', async (_name, doing, state) => {
    const { gateway, uploads, gate, sent, states } = await stage();
    gateway.always(doing);

    await workOff(uploads, putMany(uploads, 10), 0);

    expect(sent('POST')).toBe(3);
    expect(states()).toEqual([state, state, state]);
    expect(await gate.row()).toMatchObject({ closed: { failedProbes: 0 } });
  });

  it('[A22] a 403 of the same upload closes nothing', async () => {
    const { gateway, uploads, gate, sent } = await stage();
    gateway.always(refuse(403));
    const [body = ''] = putMany(uploads, 1);

    await workOff(uploads, [body], 12 * hour);

    expect(sent('POST')).toBe(3);
    expect(await gate.row()).not.toHaveProperty('closed');
  });
});

describe('a gateway that asks for a pause', () => {
  it.each([
    ['[A26] Retry-After in seconds', '120', 120_000],
    ['[A26] Retry-After with a date', 'Fri, 20 Nov 2026 10:01:00 GMT', 60_000],
    ['[A26] Retry-After far too long', '1000000000', 15 * minute],
    ['[A26] Retry-After with a word', 'soon', 5000],
  ])('%s (%s) makes all workers pause, for a bounded time', async (_name, retryAfter, pauseMs) => {
    const { gateway, uploads, gate, poll, sent, states } = await stage();
    gateway.next(refuse(429, undefined, { 'retry-after': retryAfter }));
    const until = new Date(uploads.state.nowMs + pauseMs).toISOString();
    const bodies = putMany(uploads, 5);

    await workOff(uploads, bodies, 0);
    await poll();
    const during = { posts: sent('POST'), gets: sent('GET'), row: await gate.row() };
    const after = await workOff(uploads, bodies, hour);

    expect(during).toMatchObject({ posts: 1, gets: 0, row: { pausedUntil: until } });
    expect(during.row).not.toHaveProperty('closed');
    expect(after.open).toBe(0);
    expect(states()).toEqual(Array(5).fill('APPLIED'));
    expect(gateway.datasets.size).toBe(5);
  });

  it('[A27 C10] I14: an hour of 429 parks nothing, spreads the repeats, and ends with each upload registered once', async () => {
    const { gateway, uploads, gate, sent, states } = await stage();
    gateway.always(refuse(429));
    const bodies = putMany(uploads, 20);

    const busy = await workOff(uploads, bodies, hour);
    const calls = sent('POST');
    const waiting = uploads.ledger.all().flatMap((row) => (row.kind === 'upload' ? [row.notBefore] : []));
    gateway.always(answerWell);
    const free = await workOff(uploads, bodies, 2 * hour);

    expect(busy.open).toBe(20);
    // 30 s, doubled each time, half to whole: an hour has room for eight at most.
    expect(Math.max(...busy.deliveries)).toBeLessThanOrEqual(9);
    expect(calls).toBeLessThanOrEqual(20 * 9);
    expect(new Set(waiting).size).toBe(waiting.length);
    expect(gate.counted.get(metricNames.gateClosed)).toBeUndefined();
    expect(free.open).toBe(0);
    expect(states()).toEqual(Array(20).fill('APPLIED'));
    expect(gateway.datasets.size).toBe(20);
  });
});
