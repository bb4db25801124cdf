import { describe, expect, test } from 'vitest';
import { atTen, commandOf, hours, nightly } from '../harness/guard-nights.ts';
import { campaignId, createUpdateBench, smokeId } from '../harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

describe('stop-previous', () => {
  const options = { overlap: 'stop-previous' as const };
  const second = nightly('second', { issuedAt: '2026-11-20T22:01:00Z' });

  async function inFlight(): Promise<Bench> {
    const bench = createUpdateBench(options);
    await bench.deliver(atTen());
    bench.passMs(60_000);
    return bench;
  }

  test('has the run in flight stopped by a command of its own, then starts', async () => {
    const bench = await inFlight();

    const waits = await bench.deliver(second);
    const [stop] = bench.sent;
    await bench.deliver(JSON.stringify(stop));
    const starts = await bench.deliver(second, { receiveCount: 2 });

    expect(waits.kind).toBe('later');
    expect(stop).toMatchObject({ action: 'stop', campaignRunId: smokeId, origin: second.origin });
    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', '01:running']);
    expect(await commandOf(bench, 'second')).toMatchObject({
      verdicts: expect.arrayContaining([{ guard: 'overlap', verdict: 'apply' }]),
    });
  });

  test('starts the same run again', async () => {
    const bench = await inFlight();
    const again = atTen({ id: 'again', issuedAt: '2026-11-20T22:01:00Z' });

    await bench.deliver(again);
    await bench.deliver(JSON.stringify(bench.sent[0]));
    const starts = await bench.deliver(again, { receiveCount: 2 });

    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', 'aa:running']);
  });

  test('asks under the same id each time, and not at all while the stop is being tried', async () => {
    const bench = await inFlight();
    await bench.deliver(second);
    await bench.deliver(second, { receiveCount: 2 });
    bench.answerWith({ status: 503, text: 'down' });
    await bench.deliver(JSON.stringify(bench.sent[0]));

    await bench.deliver(second, { receiveCount: 3 });

    expect(bench.sent.map(({ id }) => id)).toEqual([bench.sent[0]?.id, bench.sent[0]?.id]);
  });

  test('waits no longer than it is valid', async () => {
    const bench = await inFlight();
    await bench.deliver({ ...second, validFor: 'PT5M' });

    bench.passMs(6 * 60_000);
    const result = await bench.deliver({ ...second, validFor: 'PT5M' }, { receiveCount: 5 });

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
  });

  test('gives up if the stop is refused for good', async () => {
    const bench = await inFlight();
    await bench.deliver(second);
    bench.answerWith({ status: 409, text: 'archived' });
    await bench.deliver(JSON.stringify(bench.sent[0]));

    const result = await bench.deliver(second, { receiveCount: 2 });

    expect(result).toMatchObject({
      outcomes: [{ kind: 'skipped', reason: 'OVERLAP', detail: expect.stringContaining('was not applied') }],
    });
    expect(bench.transitions).toEqual(['aa:running']);
  });

  test('an older start that comes late stops nothing', async () => {
    const bench = await inFlight();

    const late = await bench.deliver(nightly('late', { issuedAt: '2026-11-20T21:59:00Z' }));

    expect(late).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
    expect(bench.sent).toEqual([]);
  });

  test('a start one millisecond after the run in flight leaves no room for a stop between the two', async () => {
    const bench = await inFlight();

    const next = await bench.deliver(nightly('next', { issuedAt: '2026-11-20T22:00:00.001Z' }));

    expect(next).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
    expect(bench.sent).toEqual([]);
  });

  test('a start that was put off holds nothing: the next one starts, and no stop is sent', async () => {
    const bench = createUpdateBench(options);
    bench.answerWith({ status: 429, text: 'busy' });
    await bench.deliver(atTen());

    const starts = await bench.deliver(second);

    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.sent).toEqual([]);
  });

  test('nothing is stopped for a start that another guard refuses', async () => {
    const bench = createUpdateBench({ ...options, campaignId, minimumGap: 'PT1H' });
    bench.startByHand();
    bench.passMs(hours(2));
    await bench.deliver(atTen({ issuedAt: bench.now().toISOString() }));

    bench.passMs(60_000);
    const result = await bench.deliver(nightly('second', { issuedAt: bench.now().toISOString() }));

    expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MINIMUM_GAP' }] });
    expect(bench.sent).toEqual([]);
  });
});
