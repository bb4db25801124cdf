import { describe, expect, it } from 'vitest';
import { NoTokenError } from '#shared/aws/secret-token.ts';
import { BadBodyError, ConnectionLostError, type Verdict } from '#shared/gateway-client/index.ts';
import { createGate } from '#functions/_gateway/create-gate.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { failing, quietLog, statusError } from '../../../builders/ports.ts';
import { createUploadBench, type UploadBench } from './upload-bench.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/** A gate that a test closes by hand and that keeps what it is told. */
function createGateSpy(bench: UploadBench) {
  const told: { readonly verdict: Verdict; readonly about: string }[] = [];
  const spy = { waits: [] as number[], answers: 0, told };
  bench.deps.gate = {
    waitMs: async () => spy.waits.shift() ?? 0,
    failed: async (verdict, about) => void told.push({ verdict, about }),
    answered: async () => void (spy.answers += 1),
  };
  return spy;
}

describe('an upload that finds the gate closed', () => {
  it('comes back no sooner than the gate says, nor than its back-off, and not all in one second', async () => {
    const bench = createUploadBench();
    const gate = createGateSpy(bench);
    const body = bench.put(upload);
    const delayOf = async (waitMs: number, receiveCount: number, random: number) => {
      gate.waits = [waitMs];
      bench.deps.random = () => random;
      const result = await bench.deliver(body, { receiveCount });
      return result.kind === 'later' ? result.delayMs : 0;
    };

    expect([await delayOf(300_000, 1, 0), await delayOf(300_000, 1, 0.5), await delayOf(300_000, 1, 0.999)]).toEqual([
      300_000, 315_000, 329_970,
    ]);
    expect(await delayOf(1000, 6, 0.5)).toBe(720_000);
  });
});

describe('what a POST came to', () => {
  // Which verdict a failure has is the table of classify-failure.
  it.each<[string, unknown, Partial<Verdict>]>([
    ['a 429', statusError(429, { retryAfterMs: 7000 }), { pauseMs: 7000 }],
    ['a 401 for the token that is there', statusError(401), { closesGate: true, isAuthRefused: true }],
    ['a connection that was lost', new ConnectionLostError('POST', undefined), { suspectsOutage: true }],
  ])('is told to the gate, under the upload that it was about: %s', async (_what, failure, said) => {
    const bench = createUploadBench();
    const gate = createGateSpy(bench);
    bench.faults.gateway = failing(failure);

    await bench.deliver(bench.put(upload));

    const row = await bench.row(upload);
    expect(gate.told).toMatchObject([{ about: row?.pk, verdict: said }]);
    expect(gate.answers).toBe(0);
  });

  it('is told as an answer if a dataset was made', async () => {
    const bench = createUploadBench();
    const gate = createGateSpy(bench);

    await bench.deliver(bench.put(upload));

    expect([gate.answers, gate.told]).toEqual([1, []]);
  });
});

describe('a token that cannot be had before the POST', () => {
  it.each<[string, Error, Partial<Verdict>]>([
    ['there is none yet', new NoTokenError('the secret is empty'), { closesGate: true, isAuthRefused: true }],
    ['its store is throttled', Object.assign(new Error('slow down'), { name: 'ThrottlingException' }), {}],
  ])('[F4] keeps the upload for later, and the gate knows why: %s', async (_what, failure, said) => {
    const bench = createUploadBench();
    const gate = createGateSpy(bench);
    bench.faults.token = failing(failure);
    const body = bench.put(upload);

    const first = await bench.deliver(body);
    bench.faults.token = async () => 'token';
    bench.pass(60_000);
    const second = await bench.deliver(body);

    expect(first).toMatchObject({ kind: 'later' });
    expect(gate.told.map(({ verdict }) => verdict)).toEqual([
      { applied: 'no', next: 'later', why: expect.any(String), evidence: expect.anything(), ...said },
    ]);
    expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.posts).toHaveLength(1);
  });
});

const now = () => new Date('2026-11-20T10:00:00Z');

// 24 uploads were 24 POSTs, each of them parked, with the gate open.
it('three uploads whose 2xx cannot be read close the gate: 21 others are not sent', async () => {
  const bench = createUploadBench();
  const unreadable = new BadBodyError('POST /backend/v1/datasets', {
    status: 200,
    reason: 'not-json',
    body: { text: 'x', contentEncoding: 'gzip' },
  });
  bench.faults.gateway = failing(unreadable);
  const { ledger, random } = bench.deps;
  const probe = failing(unreadable);
  bench.deps.gate = createGate({ ledger, probe, owner: 'one', now, random, log: quietLog, count() {} });

  for (let number = 1; number <= 24; number += 1) {
    await bench.deliver(
      bench.put({ key: `datasets/pii/${number}.csv`, versionId: 'v1', body: `prompt,label\na${number},1\nb,0\n` }),
    );
  }

  expect(bench.posts).toHaveLength(3);
  expect(await bench.row({ key: 'datasets/pii/3.csv', versionId: 'v1' })).toMatchObject({
    state: 'PARKED',
    outcome: {
      reason: 'APPLIED_ID_UNKNOWN',
      detail: expect.stringContaining('the gateway or a proxy compresses: gzip'),
    },
    parked: { answer: { text: 'x', contentEncoding: 'gzip' } },
  });
  expect(await bench.row({ key: 'datasets/pii/4.csv', versionId: 'v1' })).toBeUndefined();
  // What status and doctor print as the reason.
  expect(await ledger.read(ledgerKeys.gate())).toMatchObject({
    reason: expect.stringContaining('the gateway or a proxy compresses: gzip'),
  });
});
