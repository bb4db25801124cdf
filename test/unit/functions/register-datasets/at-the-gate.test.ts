import { describe, expect, it } from 'vitest';
import { NoTokenError } from '#shared/aws/secret-token.ts';
import { ConnectionLostError, type Verdict } from '#shared/gateway-client/index.ts';
import { failing, statusError } from '../../../builders/ports.ts';
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
