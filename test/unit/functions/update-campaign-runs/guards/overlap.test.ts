import { describe, expect, test } from 'vitest';
import { atTen, minutes, nightly } from '../harness/guard-nights.ts';
import { configWith, smokeId, createUpdateBench, type UpdateBench } from '../harness/update-bench.ts';

/** A second start, so many minutes after ten. */
async function second(bench: UpdateBench, minute: number, fields = {}) {
  bench.passMs(Math.max(0, Date.parse('2026-11-20T22:00:00Z') + minutes(minute) - bench.now().getTime()));
  const start = nightly('second', { issuedAt: bench.now().toISOString(), ...fields });
  const deliver = async () => bench.deliver(start, { receiveCount: 2 });
  return { result: await bench.deliver(start), deliver };
}

describe('a start while a run of its campaign is in flight', () => {
  test('waits for its planned stop if that is nearly due, and goes out once it is through', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen());
    const { result, deliver } = await second(bench, 29);
    expect(result.kind).toBe('later');
    bench.passMs(minutes(1));
    await bench.deliverDueStops();
    await deliver();

    expect(await bench.outcomeOf('second')).toMatchObject({ kind: 'applied' });
  });

  test('is skipped if the planned stop was refused for good', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen());
    bench.passMs(minutes(31));
    bench.answerWith({ status: 422, text: 'no', fields: ['body.status'] });
    await bench.deliverDueStops();
    await second(bench, 32);

    expect(await bench.outcomeOf('second')).toMatchObject({ kind: 'skipped', reason: 'OVERLAP' });
  });

  test('is judged with every campaign that names the same target', async () => {
    const { nightly: run, smoke } = configWith({ target: 'chat' }).runs;
    if (run === undefined || smoke === undefined) throw new Error('no runs');
    const bench = createUpdateBench({ runs: { nightly: { ...run, campaign: 'other' }, smoke } });
    await bench.deliver(atTen());
    await second(bench, 10);

    expect(await bench.outcomeOf('second')).toMatchObject({ reason: 'OVERLAP' });
  });
});

describe('with stop-previous, a start while a run is in flight', () => {
  const stopPrevious = { overlap: 'stop-previous' } as const;

  test('is skipped if the gateway refuses to end it', async () => {
    const bench = createUpdateBench(stopPrevious);
    await bench.deliver(atTen());
    const { deliver } = await second(bench, 10);
    bench.answerWith({ status: 422, text: 'no', fields: ['body.status'] });
    await bench.deliverSent();
    await deliver();

    expect(await bench.outcomeOf('second')).toMatchObject({ kind: 'skipped', reason: 'OVERLAP' });
    expect(bench.model.running()).toEqual([smokeId]);
  });
});
