import { describe, expect, test } from 'vitest';
import { resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { NotSentError } from '#shared/gateway-client/index.ts';
import { failing } from '../../../builders/ports.ts';
import { createUploadBench } from '../register-datasets/upload-bench.ts';
import { createReconcileBench, hourMs, minuteMs } from './reconcile-bench.ts';

const upload = { key: 'datasets/pii/a b+.csv', versionId: 'v1' };

/**
 * The reconciler beside the worker of the uploads queue, over one ledger and one bucket; what the
 * one sends, the other is given.
 */
function createTwoBenches() {
  const worker = createUploadBench();
  const reconciler = createReconcileBench([{ prefix: 'datasets/' }], worker.ledger);
  const body = worker.put(upload);
  reconciler.put(upload.key, { versionId: upload.versionId });

  function pass(ms: number): void {
    worker.pass(ms);
    reconciler.pass(ms);
  }

  /** One tick; each message that it sent is delivered. */
  async function tick(): Promise<number> {
    const before = reconciler.sent.length;
    await reconciler.tick();
    const sent = reconciler.sent.slice(before);
    for (const message of sent) await worker.deliver(message.body, { sentAtMs: worker.state.nowMs });
    return sent.length;
  }

  /** A tick every 5 minutes; the minutes after which one of them sent something. */
  async function ticksFor(hours: number): Promise<number[]> {
    const sentAfterMinutes: number[] = [];
    for (let minutes = 5; minutes <= hours * 60; minutes += 5) {
      pass(5 * minuteMs);
      if ((await tick()) > 0) sentAfterMinutes.push(minutes);
    }
    return sentAfterMinutes;
  }

  /**
   * Delivers the bucket's own message to a worker that dies after some effects; the message never
   * comes back.
   */
  async function dieAfter(effects: number, receiveCount = 1): Promise<string | undefined> {
    worker.state.dieAfter = effects;
    await worker.deliver(body, { receiveCount });
    worker.state.dieAfter = Infinity;
    return (await worker.row(upload))?.state;
  }

  return { worker, reconciler, body, pass, ticksFor, dieAfter, row: () => worker.row(upload) };
}

describe('an upload whose worker died and whose message never comes back', () => {
  test('was being sent: it is parked as unknown, and not sent again', async () => {
    const { worker, reconciler, ticksFor, dieAfter, row } = createTwoBenches();
    expect(await dieAfter(2)).toBe('SENDING');

    const sentAfterMinutes = await ticksFor(2);

    // Its lease of about two minutes, and half an hour for the message that might have come back.
    expect(sentAfterMinutes).toEqual([35]);
    expect(await row()).toMatchObject({ state: 'PARKED', outcome: { reason: 'POST_OUTCOME_UNKNOWN' } });
    expect(worker.posts).toEqual([]);
    expect(reconciler.metric('ReconcilerAskedAgain')).toEqual([1]);
    expect(reconciler.metric('ReconcilerFound')).not.toContain(1);
  });

  test('was being prepared: it is registered, once, with the fields of its object', async () => {
    const { worker, ticksFor, dieAfter, row } = createTwoBenches();
    expect(await dieAfter(1, 2)).toBe('CLAIMED');

    const sentAfterMinutes = await ticksFor(2);

    expect(sentAfterMinutes).toEqual([35]);
    expect(await row()).toMatchObject({ state: 'APPLIED' });
    expect(worker.posts).toMatchObject([{ fileId: 'a b+' }]);
  });

  test('waited for its next try: it is asked for two hours after that', async () => {
    const { worker, body, ticksFor, row } = createTwoBenches();
    worker.faults.gateway = failing(new NotSentError('POST /backend/v1/datasets', new Error('refused')));
    await worker.deliver(body);
    expect((await row())?.state).toBe('READY');
    worker.faults.gateway = async () => ({ id: 'dataset-1' });

    const [first, ...more] = await ticksFor(10);

    expect(first).toBeGreaterThanOrEqual(120);
    expect(first).toBeLessThanOrEqual(130);
    expect(more).toEqual([]);
    expect(await row()).toMatchObject({ state: 'APPLIED', datasetId: 'dataset-1' });
  });

  test('was approved by a person whose command died before it sent the message: it is registered', async () => {
    const { worker, ticksFor, dieAfter, row } = createTwoBenches();
    await dieAfter(2);
    await ticksFor(1);
    const decision = { by: 'kim', reason: 'not at the gateway', at: new Date(worker.state.nowMs) };
    await worker.decide(upload, (parked) => resolveRepeat(parked, decision));

    expect(await ticksFor(2)).toEqual([30]);
    expect(await row()).toMatchObject({ state: 'APPLIED' });
  });

  test('a day is over and the gateway still says no: it is parked, though each message about it is young', async () => {
    const { worker, body, pass, ticksFor, row } = createTwoBenches();
    worker.faults.gateway = failing(new NotSentError('POST /backend/v1/datasets', new Error('refused')));
    await worker.deliver(body);

    pass(23 * hourMs);
    const beforeTheDay = await ticksFor(0.5);
    const stateBefore = (await row())?.state;
    await ticksFor(4);

    expect(beforeTheDay).toHaveLength(1);
    expect(stateBefore).toBe('READY');
    expect(await row()).toMatchObject({ state: 'PARKED', outcome: { reason: 'HORIZON_EXCEEDED' } });
  });

  test('and whose object was deleted since is parked as gone', async () => {
    const { worker, reconciler, ticksFor, dieAfter, row } = createTwoBenches();
    await dieAfter(1, 2);
    worker.objects.clear();
    reconciler.bucket.length = 0;

    await ticksFor(1);

    expect(await row()).toMatchObject({ state: 'PARKED', outcome: { reason: 'OBJECT_GONE' } });
  });
});

describe('an upload that is under way as it should be', () => {
  test('is asked for once in six hours at the most, however long it waits', async () => {
    const bench = createReconcileBench();
    const version = bench.put('datasets/waits.csv');
    const instant = new Date(bench.state.nowMs).toISOString();
    await bench.register(version, { state: 'READY', notBefore: instant, openState: 'IN_FLIGHT', openSince: instant });
    const askedAfterMinutes: number[] = [];

    for (let minutes = 5; minutes <= 15 * 60; minutes += 5) {
      bench.pass(5 * minuteMs);
      const before = bench.sent.length;
      await bench.tick();
      if (bench.sent.length > before) askedAfterMinutes.push(minutes);
    }

    expect(askedAfterMinutes).toEqual([2 * 60, 8 * 60, 14 * 60]);
  });

  test('is counted by its age, and what is parked by its reason', async () => {
    const bench = createReconcileBench();
    const now = new Date(bench.state.nowMs);
    const since = (minutes: number) => new Date(now.getTime() - minutes * minuteMs).toISOString();
    const sending = { state: 'SENDING', leaseUntil: since(-1), openState: 'IN_FLIGHT' } as const;
    const parked = { state: 'PARKED', openState: 'PARKED', openSince: since(600) } as const;
    for (const minutes of [10, 90])
      await bench.register(bench.put(`datasets/${minutes}.csv`), { ...sending, openSince: since(minutes) });
    for (const [index, reason] of (['CHECK_FAILED', 'CHECK_FAILED', 'VALIDATION'] as const).entries()) {
      const outcome = { kind: 'parked', reason, at: since(600) } as const;
      await bench.register(bench.put(`datasets/parked-${index}.csv`), { ...parked, outcome });
    }

    await bench.tick();

    expect(bench.metric('OldestOpenSeconds')).toEqual([90 * 60]);
    expect(bench.metric('ParkedOpen')).toEqual([3]);
    expect(bench.metric('ParkedOpen', 'CHECK_FAILED')).toEqual([2]);
    expect(bench.metric('ParkedOpen', 'VALIDATION')).toEqual([1]);
    expect(bench.sent).toEqual([]);
  });

  test('nothing open and nothing parked is a level of zero, not silence', async () => {
    const bench = createReconcileBench();

    await bench.tick();

    expect(bench.metric('OldestOpenSeconds')).toEqual([0]);
    expect(bench.metric('ParkedOpen')).toEqual([0]);
  });
});
