import { describe, expect, test } from 'vitest';

import { aStop, atTen, minutes, nightly } from './harness/guard-nights.ts';
import { campaignId, nightlyIds, smokeIds, createUpdateBench } from './harness/update-bench.ts';

describe('a start that the gateway refuses', () => {
  test('for good is parked, and its id and its place in the month are free for another', async () => {
    const bench = createUpdateBench({
      startsPerMonth: 1,
      answers: [{ status: 422, text: 'no', fields: ['body.name'] }],
    });

    await bench.deliver(nightly('a'));
    await bench.deliver(nightly('b'));

    expect(await bench.outcomeOf('a')).toMatchObject({ kind: 'parked', reason: 'VALIDATION' });
    expect(await bench.outcomeOf('b')).toMatchObject({ kind: 'applied' });
    expect(bench.patches.map(({ campaignRunId }) => campaignRunId)).toEqual([nightlyIds[0], nightlyIds[0]]);
  });

  test('[E24] for good leaves nothing to stop', async () => {
    const bench = createUpdateBench({ answers: [{ status: 422, text: 'no', fields: ['body.name'] }] });

    await bench.deliver(nightly('a'));
    await bench.deliver(aStop({ run: 'nightly' }));

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'skipped', reason: 'NOTHING_TO_STOP' });
    expect(bench.patches).toHaveLength(1);
  });

  test.each([409, 410, 412, 422])(
    '[A24] by a %i that is about the run is parked, and no start takes that id again',
    async (status) => {
      const bench = createUpdateBench({ answers: [{ status, text: 'the run is not scheduled' }] });

      await bench.deliver(nightly('a'));
      await bench.deliver(nightly('b'));

      expect(await bench.outcomeOf('a')).toMatchObject({ kind: 'parked' });
      expect(bench.patches.map(({ campaignRunId }) => campaignRunId)).toEqual([...nightlyIds]);
    },
  );

  test('[E8] as past, by a clock that is ahead, is sent again with a startAt that is ahead there too', async () => {
    const bench = createUpdateBench({ kind: { starts: 'startAt', aheadMs: 90_000 } });

    const refused = await bench.deliver(atTen());
    bench.passMs(2000);
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(refused).toMatchObject({ kind: 'later', delayMs: 2000 });
    expect(bench.patches.map(({ startAt }) => startAt)).toEqual([
      '2026-11-20T22:01:00.000Z',
      '2026-11-20T22:02:33.000Z',
    ]);
    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('[A23] by a 404 is tried for ten minutes with the same id, then parked RUN_NOT_FOUND', async () => {
    const bench = createUpdateBench();
    const unknown = { status: 404, text: 'no such run' };
    bench.answerWith(unknown, unknown, unknown);

    await bench.deliver(nightly('a'));
    bench.passMs(minutes(5));
    await bench.deliver(nightly('a'), { receiveCount: 2 });
    expect(await bench.outcomeOf('a')).toBeUndefined();
    bench.passMs(minutes(6));
    await bench.deliver(nightly('a'), { receiveCount: 3 });

    expect(await bench.outcomeOf('a')).toMatchObject({ kind: 'parked', reason: 'RUN_NOT_FOUND' });
    expect(await bench.freeIds()).toEqual([nightlyIds[1]]);
  });
});

describe('what an applied start keeps of its request', () => {
  test('is its x-request-id, the tries before it, and why the last of them failed', async () => {
    const bench = createUpdateBench({ campaignId, answers: [{ status: 429, text: 'busy' }, 'ok'] });
    await bench.deliver(atTen());
    bench.passMs(minutes(1));
    await bench.deliver(atTen(), { receiveCount: 2 });

    const { request } = (await bench.commandOf('at-ten')) ?? {};
    expect(request).toMatchObject({ id: bench.patches[1]?.requestId, tries: 2 });
    expect(request?.lastError).toContain('busy');
  });

  test('every try of one start has the same key, and another start another', async () => {
    const bench = createUpdateBench({ overlap: 'allow', answers: ['lost'] });
    await bench.deliver(atTen());
    await bench.deliver(atTen(), { receiveCount: 2 });
    await bench.deliver(atTen({ id: 'other', campaignRunId: smokeIds[2] }));

    const keys = bench.patches.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});
