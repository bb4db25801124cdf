import { describe, expect, test } from 'vitest';
import { endOf } from '#functions/_runs/decide/own-stops.ts';

import { aStop, atTen, minutes, running } from './harness/guard-nights.ts';
import { smokeId, smokeIds, createUpdateBench } from './harness/update-bench.ts';

describe('a stop by name', () => {
  test('ends the run in flight by the word of the configuration, and takes its entry away', async () => {
    const bench = await running();

    const result = await bench.deliver(aStop());

    expect(bench.patches.at(-1)).toMatchObject({ campaignRunId: smokeId, status: 'cancelled' });
    expect(bench.model.running()).toEqual([]);
    expect(await bench.inFlight()).toEqual([]);
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.events.at(-1)).toMatchObject({
      type: 'CampaignRunStopped',
      detail: { campaignRunId: smokeId, lateSeconds: 0 },
    });
  });

  test('[E38] ends every run of its name, also if the gateway refuses one of them', async () => {
    const bench = createUpdateBench({ overlap: 'allow' });
    for (const id of ['a', 'b', 'c']) await bench.deliver(atTen({ id }));
    bench.passMs(minutes(5));
    bench.answerWith({ status: 422, text: 'no', fields: ['body.status'] });

    await bench.deliver(aStop());

    expect(bench.patches.slice(3).map(({ campaignRunId }) => campaignRunId)).toEqual(smokeIds.toReversed());
    expect(bench.model.running()).toEqual([smokeIds[2]]);
    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'parked', reason: 'VALIDATION' });
    expect(await bench.inFlight()).toMatchObject([{ campaignRunId: smokeIds[2], state: 'running' }]);
  });

  test('of which one run does not answer ends the others at once', async () => {
    const bench = createUpdateBench({ overlap: 'allow' });
    for (const id of ['a', 'b', 'c']) await bench.deliver(atTen({ id }));
    bench.passMs(minutes(5));
    bench.answerWith('lost', 'ok', 'ok', 'lost');

    const first = await bench.deliver(aStop());
    expect(first.kind).toBe('later');
    expect(bench.model.running()).toEqual([smokeIds[2]]);
    await bench.deliver(aStop(), { receiveCount: 2 });

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
    expect(bench.model.running()).toEqual([]);
  });

  test('[E23] leaves a run alone whose start is later', async () => {
    const bench = await running();

    await bench.deliver(aStop({ issuedAt: '2026-11-20T21:59:00Z' }));

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'skipped', reason: 'NOTHING_TO_STOP' });
    expect(bench.model.running()).toEqual([smokeId]);
  });

  test('finds a run whose start is written between two reads of its rows', async () => {
    const bench = createUpdateBench();
    bench.passMs(minutes(5));
    let isFirst = true;
    // A batch read of DynamoDB reads each row at a moment of its own: here the target's before the start, the name's after it.
    const readMany: typeof bench.ledger.readMany = async (pks) => {
      if (isFirst) await bench.deliver(atTen());
      const rows = [...(await bench.ledger.readMany(pks))];
      const isSeen = ([pk]: readonly [string, unknown]) => !isFirst || !pk.startsWith('target#');
      const seen = new Map(rows.filter(isSeen));
      isFirst = false;
      return seen;
    };

    await bench.deliver(aStop(), { ledger: { ...bench.ledger, readMany } });

    expect(bench.model.running()).toEqual([]);
    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
  });

  test('has no key: a gateway that remembers answers must stop the run each time', async () => {
    const bench = await running();

    await bench.deliver(aStop());

    expect(bench.patches.map(({ idempotencyKey }) => idempotencyKey === undefined)).toEqual([false, true]);
  });

  test('[E34] finds the run of a name that a deployment dropped', async () => {
    const bench = await running();
    bench.deployRuns({});

    await bench.deliver(aStop());

    expect(bench.model.running()).toEqual([]);
    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
  });

  test('of a name that is not known is parked CONFIG', async () => {
    const bench = createUpdateBench();

    await bench.deliver(aStop({ run: 'smok' }));

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'parked', reason: 'CONFIG' });
  });

  test.each([409, 410, 412, 422])(
    '[A24 E10] that is refused by a %i, since the run has ended, needs nothing',
    async (status) => {
      const bench = await running();
      bench.answerWith({ status, text: 'the run is complete' });

      await bench.deliver(aStop());

      expect(await bench.outcomeOf('stop')).toMatchObject({
        kind: 'skipped',
        reason: 'ALREADY_ENDED',
        detail: expect.stringContaining('the run is complete'),
      });
      expect(await bench.inFlight()).toEqual([]);
    },
  );

  test('[A24] that is refused by its field status is parked, and its run counts as running; words in alreadyInState settle it', async () => {
    const bench = await running();
    const again = await running();
    bench.answerWith({ status: 422, text: 'is no status', fields: ['body.status'] });
    again.answerWith({ status: 422, text: 'the run has ended already', fields: ['body.status'] });

    for (const one of [bench, again]) await one.deliver(aStop());

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'parked', reason: 'VALIDATION' });
    const [entry] = await bench.inFlight();
    expect(entry).toMatchObject({ state: 'running' });
    expect(entry?.orderedBy).toBeUndefined();
    expect(await again.outcomeOf('stop')).toMatchObject({ kind: 'applied' });
  });

  test('by a 404 is asked for ten minutes, then parked RUN_NOT_FOUND: its run is never taken for ended', async () => {
    const bench = await running();
    const unknown = { status: 404, text: 'no such run' };
    bench.answerWith(unknown, unknown);

    await bench.deliver(aStop());
    bench.passMs(minutes(10));
    await bench.deliver(aStop(), { receiveCount: 2 });

    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'parked', reason: 'RUN_NOT_FOUND' });
    expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
  });

  test('[E33] from the future counts as sent when its message was; tonight’s start goes out', async () => {
    const bench = await running();

    await bench.deliver(aStop({ issuedAt: '2026-11-22T22:00:00Z' }));
    expect(bench.model.running()).toEqual([]);
    expect(await bench.commandOf('stop')).toMatchObject({ sent: '2026-11-20T22:05:00.000Z' });
    bench.passMs(minutes(1));
    await bench.deliver(atTen({ id: 'next', issuedAt: '2026-11-20T22:06:00Z' }));

    expect(await bench.outcomeOf('next')).toMatchObject({ kind: 'applied' });
  });
});

describe('a stop of the stage itself', () => {
  test('the planned one ends the run of its start at its time, and says how late it is', async () => {
    const bench = await running();
    bench.passMs(minutes(27));

    await bench.deliverDueStops();

    expect(bench.model.running()).toEqual([]);
    expect(bench.events.at(-1)).toMatchObject({ type: 'CampaignRunStopped', detail: { lateSeconds: 120 } });
  });

  test('[E16] uses the word that is configured now, for a run that an earlier one did not stop', async () => {
    const bench = await running();
    bench.answerWith({ status: 422, text: 'is no status', fields: ['body.status'] });
    await bench.deliver(aStop());
    bench.passMs(minutes(30));

    await bench.deliverDueStops();

    expect(bench.model.running()).toEqual([]);
  });

  test('of a start whose run is not in flight any more is superseded', async () => {
    const bench = await running();
    const [planned] = await bench.plannedStops();
    const [entry] = await bench.inFlight();
    if (planned === undefined || entry === undefined) throw new Error('nothing in flight');
    await bench.deliver(aStop());

    await bench.deliver(planned);
    await bench.deliver(endOf(entry, bench.now(), 'test'));

    expect(await bench.outcomeOf(planned.id)).toMatchObject({ kind: 'superseded' });
    expect(bench.patches).toHaveLength(2);
  });

  test('[E37] two stops of one run at the same instant are both settled', async () => {
    const bench = await running({ kind: { starts: 'startAt', lateStop: 409 } });
    bench.answerWith('applied-then-lost');
    await bench.deliver(aStop());
    await bench.deliver(aStop({ id: 'second' }));
    await bench.deliver(aStop(), { receiveCount: 2 });

    expect(await bench.outcomeOf('second')).toMatchObject({
      kind: 'applied',
      detail: expect.stringContaining('ended already'),
    });
    expect(await bench.outcomeOf('stop')).toMatchObject({ kind: 'skipped', reason: 'ALREADY_ENDED' });
    expect(await bench.inFlight()).toEqual([]);
  });
});
