import { describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, type RunRow, withUsed } from '#shared/ledger/rows/run-row.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { aStop, atTen, nightly, operator } from './harness/guard-nights.ts';
import { campaignId, nightlyIds, smokeId, aCommand, createUpdateBench } from './harness/update-bench.ts';

const observing = () => createUpdateBench({ mode: 'observe', campaignId, startsPerMonth: 1 });

describe('a stage that only observes', () => {
  test('sends nothing, judges as always on rows of its own, and says what it would have sent', async () => {
    const bench = observing();

    const start = await bench.deliver(atTen());
    bench.passMs(300_000);
    const overlap = await bench.deliver(nightly('b'));
    const stop = await bench.deliver(aStop());
    const budget = await bench.deliver(nightly('c', { issuedAt: bench.now().toISOString() }));

    expect(bench.patches).toEqual([]);
    expect(start).toMatchObject({
      outcomes: [
        {
          kind: 'applied',
          detail: `would have sent: PATCH /backend/v1/campaign-runs/${smokeId} {"startAt":"2026-11-20T22:01:00.000Z"}`,
          fields: { isObserved: true },
        },
      ],
    });
    expect(overlap).toMatchObject({ outcomes: [{ reason: 'OVERLAP' }] });
    expect(stop).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('"cancelled"') }] });
    expect(budget).toMatchObject({ outcomes: [{ reason: 'BUDGET' }] });
    expect(bench.events.map(({ type, detail }) => [type, detail['isObserved']])).toEqual(
      ['b', 'c'].map(() => ['CampaignRunStartSkipped', true]),
    );
    expect(bench.table.all()).toEqual([]);
    expect(await bench.commandOf('at-ten')).toMatchObject({ isObserved: true });
    expect((await bench.commandOf('at-ten'))?.request).toBeUndefined();
  });

  test('uses the ids that people bound, after those that were used for real', async () => {
    const bench = observing();
    const bound = '018f0000-0000-7000-8000-0000000000bb';
    const real = { ...withUsed(newRunRow('nightly'), nightlyIds[0]), bound: [bound] };
    await bench.table.write<RunRow>(undefined, real);
    const override = { guards: ['overlap' as const, 'budget' as const], reason: 'CHG-9' };

    const used = [];
    for (const id of ['a', 'b', 'c']) {
      await bench.deliver(nightly(id, { origin: operator, override }));
      used.push((await bench.commandOf(id))?.campaignRunId);
    }

    expect(used).toEqual([nightlyIds[1], bound, undefined]);
    expect(await bench.commandOf('c')).toMatchObject({ outcome: { reason: 'NO_RUN_LEFT' } });
    expect(await bench.table.read<RunRow>(ledgerKeys.run('nightly'))).toMatchObject(real);
  });

  test('has an observed run ended by a command that says so: it is never a real stop once the stage acts', async () => {
    const bench = createUpdateBench({ mode: 'observe', overlap: 'stop-previous' });
    await bench.deliver(atTen());
    bench.passMs(60_000);
    const second = nightly('second', { issuedAt: bench.now().toISOString() });

    const waits = await bench.deliver(second);
    const [end] = bench.sent;
    const ended = await bench.deliver(JSON.stringify(end));
    const starts = await bench.deliver(second, { receiveCount: 2 });

    expect(waits.kind).toBe('later');
    expect(end).toMatchObject({ isObserved: true, reason: 'it makes room for a newer start' });
    expect(ended).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('"cancelled"') }] });
    expect(starts).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.patches).toEqual([]);
    expect(bench.events).toEqual([]);
  });

  test('leaves what was begun while the stage acted alone, and tells what was done for real as done', async () => {
    const acting = createUpdateBench();
    const bench = createUpdateBench({ mode: 'observe' });
    const done = aCommand({ id: 'done' });
    const doubt = aCommand({
      id: 'doubt',
      run: 'nightly',
      override: { guards: ['overlap'], reason: 'x' },
      origin: operator,
    });
    await acting.deliver(done);
    acting.answerWith('lost');
    await acting.deliver(doubt);

    expect(await bench.deliver(doubt, { acting: acting.table })).toMatchObject({ kind: 'later', delayMs: 900_000 });
    expect(await bench.deliver(done, { acting: acting.table })).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.events).toEqual([acting.events[0]]);
    expect(await bench.inFlight()).toEqual([]);
  });

  test('keeps the planned stop of a real run until the stage acts again, though no attempt has begun it', async () => {
    const acting = createUpdateBench();
    const bench = createUpdateBench({ mode: 'observe' });
    await acting.deliver(aCommand({ id: 'real' }));
    const planned = {
      ...aStop(),
      id: commandIds.plannedStop('real'),
      startId: 'real',
      origin: { kind: 'watcher' as const, name: 'watch-campaigns' },
    };

    const waits = await bench.deliver(planned, { acting: acting.table });
    const stops = await acting.deliver(planned);

    expect(waits).toMatchObject({ kind: 'later', delayMs: 900_000 });
    expect(stops).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });
});

describe('a stage that acts', () => {
  test('does nothing of what it sent while it only observed, and keeps no row of it', async () => {
    const bench = createUpdateBench();
    const observed = { ...aStop({ issuedAt: '2026-11-20T22:00:00Z' }), isObserved: true } as const;

    expect(await bench.deliver(observed)).toMatchObject({ outcomes: [{ kind: 'ignored', subject: 'stop' }] });
    expect(bench.table.all()).toEqual([]);
  });
});
