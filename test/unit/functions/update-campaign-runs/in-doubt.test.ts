/** I3, I4: starts whose request may have reached the gateway, and that were not answered. */
import { describe, expect, test } from 'vitest';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { aStop, atTen, hours, minutes } from './harness/guard-nights.ts';
import { campaignId, createUpdateBench, proving, smokeId, smokeIds } from './harness/update-bench.ts';

const word = { starts: 'word' } as const;

describe('[E5] a start without an answer', () => {
  test.each(['lost', 'applied-then-lost', { status: 500, text: 'broken' }] as const)(
    '[A28 E19] (%o) is sent again: its run begins once',
    async (answer) => {
      const bench = createUpdateBench({ answers: [answer] });

      const first = await bench.deliver(atTen());
      bench.passMs(minutes(2));
      await bench.deliver(atTen(), { receiveCount: 2 });
      bench.passMs(minutes(2));

      expect(first.kind).toBe('later');
      expect(bench.begun()).toEqual([smokeId]);
      expect(['applied', 'skipped']).toContain((await bench.outcomeOf('at-ten'))?.kind ?? 'skipped');
    },
  );

  test('is applied if its campaign shows its run as the last one, by the request that was not answered', async () => {
    const bench = createUpdateBench({ kind: word, ...proving, answers: ['applied-then-lost'] });
    await bench.deliver(atTen());
    bench.passMs(minutes(2));
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await bench.commandOf('at-ten')).toMatchObject({
      outcome: { kind: 'applied', detail: expect.stringContaining('its campaign shows it') },
      request: { id: bench.patches[0]?.requestId },
    });
    expect(bench.patches).toHaveLength(1);
  });

  test.each([
    ['of that id that began before it', smokeId, minutes(-5)],
    ['of a person, which its campaign shows since the same minute', smokeIds[2] ?? '', 0],
  ])('[E41] is not proven by a run %s', async (_run, id, beganMs) => {
    const bench = createUpdateBench({ ...proving });
    bench.model.beginByHand(id, bench.now().getTime() + beganMs);
    bench.answerWith('lost', 'lost');
    await bench.deliver(atTen());
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await bench.outcomeOf('at-ten')).toBeUndefined();
  });

  test('is not sent again if a repeat may start it twice, and is ended once its validity is over', async () => {
    const bench = createUpdateBench({ kind: { starts: 'word, again' }, answers: ['applied-then-lost'] });
    const start = atTen({ validFor: 'PT10M' });
    await bench.deliver(start);
    bench.passMs(minutes(5));
    await bench.deliver(start, { receiveCount: 2 });
    expect(bench.patches).toHaveLength(1);
    bench.passMs(minutes(6));
    await bench.deliver(start, { receiveCount: 3 });
    await bench.deliverSent();
    await bench.deliver(start, { receiveCount: 4 });

    expect(bench.begun()).toEqual([smokeId]);
    expect(bench.model.running()).toEqual([]);
    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'skipped',
      reason: 'MISSED_WINDOW',
      detail: expect.stringContaining('it may have run from 2026-11-20T22:00:00.000Z until'),
    });
  });

  test('[E21] is ended by a freeze, and only then skipped', async () => {
    const bench = createUpdateBench({ answers: ['applied-then-lost'] });
    await bench.deliver(atTen());
    await bench.turn(stageSwitch, true);

    const refused = await bench.deliver(atTen(), { receiveCount: 2 });
    expect(refused.kind).toBe('later');
    expect(await bench.outcomeOf('at-ten')).toBeUndefined();
    expect(bench.sent).toMatchObject([{ action: 'stop', startId: 'at-ten', campaignRunId: smokeId }]);
    await bench.deliverSent();
    bench.passMs(minutes(5));
    await bench.deliver(atTen(), { receiveCount: 3 });

    expect(bench.begun()).toEqual([]);
    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'skipped', reason: 'FROZEN' });
  });

  test('is ended by a stop of its name, and superseded', async () => {
    const bench = createUpdateBench({ answers: ['applied-then-lost'] });
    await bench.deliver(atTen());

    await bench.deliver(aStop());
    bench.passMs(minutes(5));
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(bench.begun()).toEqual([]);
    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'superseded',
      detail: expect.stringContaining('it may have run'),
    });
  });

  test('[E6] by a word keeps its stop waiting until it can land no more', async () => {
    const bench = createUpdateBench({ kind: word, answers: [{ lateMs: 59_000 }] });
    await bench.deliver(atTen());

    const early = await bench.deliver(aStop());
    expect(early).toMatchObject({ kind: 'later', delayMs: 60_000 });
    expect(bench.patches).toHaveLength(1);
    bench.passMs(minutes(3));
    await bench.deliver(aStop(), { receiveCount: 2 });

    expect(bench.begun()).toEqual([smokeId]);
    expect(bench.model.running()).toEqual([]);
  });

  test('[A24] is applied by an "already" of its repeat', async () => {
    const bench = createUpdateBench({
      answers: ['applied-then-lost', { status: 409, text: 'run is already running' }],
    });
    await bench.deliver(atTen());
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('[E20] whose repeat finds the run not going counts as running, and may have run', async () => {
    const bench = createUpdateBench({ answers: ['applied-then-lost'] });
    await bench.deliver(atTen());
    bench.passMs(minutes(2));
    await bench.deliver(atTen(), { receiveCount: 2 });
    const early = await bench.deliver(atTen(), { receiveCount: 3 });
    expect(early.kind).toBe('later');
    bench.passMs(minutes(4));
    await bench.deliver(atTen(), { receiveCount: 4 });

    expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'skipped',
      reason: 'UNCONFIRMED',
      detail: expect.stringContaining('may have run'),
    });
    expect((await bench.commandOf('at-ten'))?.mayHaveRun).toMatchObject({ from: '2026-11-20T22:00:00.000Z' });
    bench.passMs(hours(1));
    await bench.deliverDueStops();
    expect(bench.model.running()).toEqual([]);
  });

  test('[E12] goes on without its campaign if that cannot be read', async () => {
    const bench = createUpdateBench({ campaignId, campaignAnswers: ['not-sent'], answers: ['lost'] });
    await bench.deliver(atTen());
    await bench.deliver(atTen(), { receiveCount: 2 });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  });

  test('for a day is parked START_OUTCOME_UNKNOWN, and its stop stays armed', async () => {
    const bench = createUpdateBench();
    const start = atTen({ validFor: 'P3D', stopAfter: 'P2D' });
    const sentAt = bench.now();
    bench.answerWith('lost', 'lost', 'lost');
    await bench.deliver(start);
    bench.passMs(hours(25));
    await bench.deliver(start, { receiveCount: 2, sentAt });

    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'parked',
      reason: 'START_OUTCOME_UNKNOWN',
      detail: expect.stringContaining('its stop stays armed'),
    });
    expect(await bench.inFlight()).toMatchObject([{ state: 'running', plansStop: true }]);
    expect((await bench.commandOf('at-ten'))?.parked).toMatchObject({ requestSent: true });
  });

  test('503 counts as no answer if a start repeats safely', async () => {
    const bench = createUpdateBench({ answers: [{ status: 503, text: 'busy', retryAfterMs: 1000 }] });
    await bench.deliver(atTen());

    expect(await bench.inFlight()).toMatchObject([{ state: 'starting', unanswered: 1 }]);
  });
});
