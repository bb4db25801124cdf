import { describe, expect, test } from 'vitest';

import { atTen, blackout, hours, minutes, nightly } from '../harness/guard-nights.ts';
import { createUpdateBench } from '../harness/update-bench.ts';

const deferring = () =>
  createUpdateBench({ blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')] });

describe('a blackout', () => {
  test('that skips is judged at the instant at which the run would begin', async () => {
    const bench = createUpdateBench({
      blackouts: [blackout('skip', '2026-11-20T22:10:00.000Z', '2026-11-20T23:00:00.000Z')],
    });
    await bench.deliver(nightly('later', { startDelay: 'PT15M' }));
    await bench.deliver(atTen());

    expect(await bench.outcomeOf('later')).toMatchObject({ kind: 'skipped', reason: 'BLACKOUT' });
    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('that defers keeps the start for its end: due, validity and planned stop begin there', async () => {
    const bench = deferring();
    const result = await bench.deliver(atTen());
    expect(result).toEqual({ kind: 'done', outcomes: [] });
    expect(await bench.commandOf('at-ten')).toMatchObject({
      openState: 'DEFERRED',
      openSince: '2026-11-21T04:00:00.000Z',
    });
    bench.passMs(hours(6) + minutes(1));
    await bench.deliver(atTen());

    expect(await bench.commandOf('at-ten')).toMatchObject({
      outcome: { kind: 'applied' },
      facts: { due: '2026-11-21T04:00:00.000Z', endsAt: '2026-11-21T04:30:00.000Z' },
    });
  });

  test('messages that come again before its end are no deaths, however many', async () => {
    const bench = deferring();
    await bench.deliver(atTen());
    for (const receiveCount of [2, 3, 4, 5]) {
      bench.passMs(minutes(5));
      await bench.deliver(atTen(), { receiveCount });
    }
    bench.passMs(hours(6));
    await bench.deliver(atTen());

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('is over a minute later by a slow clock: the start waits for it, and is not deferred again', async () => {
    const bench = deferring();
    await bench.deliver(atTen());
    bench.passMs(hours(6));
    const early = await bench.deliver(atTen(), { skewMs: -50_000 });

    expect(early).toMatchObject({ kind: 'later', delayMs: 50_000 });
    expect(await bench.commandOf('at-ten')).toMatchObject({ openState: 'PENDING' });
    bench.passMs(minutes(2));
    await bench.deliver(atTen(), { skewMs: -50_000, receiveCount: 2 });
    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('that would defer a start in doubt ends it', async () => {
    const bench = createUpdateBench({
      blackouts: [blackout('defer', '2026-11-20T22:05:00.000Z', '2026-11-21T04:00:00.000Z')],
    });
    bench.answerWith('lost');
    await bench.deliver(atTen());
    bench.passMs(minutes(6));
    await bench.deliver(atTen(), { receiveCount: 2 });
    for (const stop of bench.sent) await bench.deliver(stop);
    await bench.deliver(atTen(), { receiveCount: 3 });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'skipped', reason: 'BLACKOUT' });
  });
});
