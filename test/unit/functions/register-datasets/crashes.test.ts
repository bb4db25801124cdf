/** I1, I2: a worker that dies at any effect. */
import { describe, expect, it } from 'vitest';
import { ConnectionLostError, NotSentError } from '#shared/gateway-client/index.ts';
import { resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { failing, statusError } from '../../../builders/ports.ts';
import { createUploadBench, Killed, type UploadBench } from './upload-bench.ts';

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/** Delivers again and again, as a queue does, until the message is acknowledged. */
async function drain(bench: UploadBench, body: string): Promise<void> {
  for (let delivery = 2; delivery < 12; delivery += 1) {
    bench.pass(200_000);
    const result = await bench.deliver(body, { receiveCount: delivery }).catch(() => undefined);
    if (result?.kind === 'done') return;
  }
  throw new Error('never acknowledged');
}

const gateways: Readonly<Record<string, UploadBench['faults']['gateway']>> = {
  'answers well': async () => ({ id: 'dataset-1' }),
  'takes it and resets': failing(new ConnectionLostError('POST /backend/v1/datasets', new Error('reset'))),
};
/**
 * Effects of a good registration: reservation, mark, POST, record, command, event; of a second
 *   delivery a claim before them; one for good measure.
 */
const killPoints = [1, 2, 3, 4, 5, 6, 7, 8];

describe('a worker that dies', () => {
  for (const [behaviour, gateway] of Object.entries(gateways)) {
    it.each(killPoints)(
      `[C5 F10] after effect %i, with a gateway that ${behaviour}: one outcome, at most one POST`,
      async (dieAfter) => {
        const bench = createUploadBench();
        bench.faults.gateway = gateway;
        bench.state.dieAfter = dieAfter;
        const body = bench.put(upload);

        const first = await bench.deliver(body);
        bench.state.dieAfter = Infinity;
        if (first.kind !== 'done') await drain(bench, body);

        const row = await bench.row(upload);
        expect(bench.posts.length).toBeLessThanOrEqual(1);
        expect(['APPLIED', 'POST_OUTCOME_UNKNOWN']).toContain(
          row?.state === 'PARKED' ? row.outcome?.reason : row?.state,
        );
        const ids = new Set(bench.events.map((event) => event.detail.eventId));
        expect(ids.size).toBe(1);
        expect(new Set(bench.commands).size).toBe(row?.state === 'APPLIED' ? 1 : 0);
        const made = await bench.ledger.uploadOfDataset('dataset-1');
        expect(made?.pk).toBe(row?.state === 'APPLIED' ? row.pk : undefined);
      },
    );
  }

  it('[F10] between the mark and the answer leaves an unknown, not a second POST', async () => {
    const bench = createUploadBench();
    bench.state.dieAfter = 2;
    const body = bench.put(upload);

    await bench.deliver(body);
    expect(await bench.row(upload)).toMatchObject({ state: 'SENDING' });
    bench.state.dieAfter = Infinity;
    const tooSoon = await bench.deliver(body);
    await drain(bench, body);

    expect(tooSoon).toMatchObject({ kind: 'later' });
    expect(bench.posts).toEqual([]);
    expect(await bench.row(upload)).toMatchObject({
      state: 'PARKED',
      outcome: { reason: 'POST_OUTCOME_UNKNOWN' },
      parked: { lookFor: 'names', requestId: expect.any(String) },
    });
  });

  it('[C11] of the same upload three times is followed by no fourth', async () => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    let begun = 0;
    bench.faults.read = async () => {
      begun += 1;
      bench.state.isDead = true;
      throw new Killed('killed');
    };

    for (let delivery = 1; delivery <= 6; delivery += 1) {
      await bench.deliver(body, { receiveCount: delivery }).catch(() => {});
      bench.pass(200_000);
    }

    expect(begun).toBe(3);
    expect(await bench.row(upload)).toMatchObject({ state: 'PARKED', outcome: { reason: 'CRASH_LOOP' } });
  });
});

const decision = { by: 'ann', reason: 'not there', at: new Date('2026-11-20T10:00:00.000Z') };

describe('two workers at once', () => {
  it('make one POST when one takes over the content of a parked upload that a person repeats at that moment', async () => {
    const bench = createUploadBench();
    const again = { ...upload, versionId: 'v2' };
    const bodies = [bench.put(upload), bench.put(again)];
    bench.faults.gateway = async () => {
      bench.faults.gateway = async () => ({ id: 'dataset-1' });
      throw statusError(422);
    };
    await bench.deliver(bodies[0] ?? '');
    const { ledger } = bench.deps;
    bench.deps.ledger = {
      ...ledger,
      write: async (before, after) => {
        if (after.kind === 'dataset' && after.upload !== (await bench.row(upload))?.pk) {
          bench.deps.ledger = ledger;
          await bench.decide(upload, (row) => resolveRepeat(row, { ...decision, at: new Date(bench.state.nowMs) }));
          await bench.deliver(bodies[0] ?? '');
        }
        return ledger.write(before, after);
      },
    };

    await bench.deliver(bodies[1] ?? '');
    bench.pass(60_000);
    await bench.deliver(bodies[1] ?? '');

    expect(bench.posts).toHaveLength(2);
    expect((await bench.row(upload))?.state).toBe('APPLIED');
    expect((await bench.row(again))?.state).toBe('SKIPPED');
  });
});

describe('a worker that comes back after others went on', () => {
  it.each([
    ['answer', async () => ({ id: 'late-1' })],
    ['refusal', failing(statusError(422))],
    ['proof that it never left', failing(new NotSentError('POST /backend/v1/datasets'))],
  ])('does not write its late %s over the repeat that a person ordered and that is being sent', async (_name, end) => {
    const bench = createUploadBench();
    const body = bench.put(upload);
    const late = Promise.withResolvers<void>();
    const repeated = Promise.withResolvers<{ id: string }>();
    bench.faults.gateway = () => late.promise.then(end);
    const first = bench.deliver(body);
    await expect.poll(() => bench.posts.length).toBe(1);
    bench.pass(200_000);
    await bench.deliver(body);
    await bench.decide(upload, (row) => resolveRepeat(row, decision));
    bench.faults.gateway = () => repeated.promise;
    const second = bench.deliver(body);
    await expect.poll(() => bench.posts.length).toBe(2);

    late.resolve();
    const obeyed = await first;
    const between = await bench.row(upload);
    repeated.resolve({ id: 'repeated-1' });
    await second;

    expect(obeyed).toMatchObject({ kind: 'later' });
    expect(between).toMatchObject({ state: 'SENDING', owner: 'attempt-3' });
    expect(await bench.row(upload)).toMatchObject({ state: 'APPLIED', datasetId: 'repeated-1' });
  });
});
