import { describe, expect, test } from 'vitest';
import type { PlanRow } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { resolveRepeat } from '#shared/ledger/resolve-parked.ts';
import { aPlan, createPlanBench, s3Event, s3Record } from './plan-bench.ts';

const key = 'run-plans/evening.json';
const good = aPlan({ action: 'start', run: 'smoke' }, { action: 'stop', run: 'nightly' });
const pk = ledgerKeys.plan('ours', key, 'v1');

function withPlan(plan: unknown = good) {
  const bench = createPlanBench();
  bench.put(key, 'v1', plan);
  return bench;
}

describe('an uploaded plan', () => {
  test('is sent whole, in its order, and noted with the ids of its commands', async () => {
    const bench = withPlan();

    const result = await bench.deliver(s3Event());

    const commandIds = bench.commands.map(({ id }) => id);
    expect(bench.commands).toMatchObject([
      { action: 'start', run: 'smoke', issuedAt: '2026-11-20T22:00:00.000Z' },
      { action: 'stop', run: 'nightly' },
    ]);
    expect(commandIds).toEqual(commandIds.toSorted());
    expect(result).toEqual({
      kind: 'done',
      outcomes: [{ kind: 'applied', subject: key, detail: '2 commands sent', fields: { commandIds } }],
    });
    expect(await bench.ledger.read<PlanRow>(pk)).toMatchObject({ commandIds, outcome: { kind: 'applied' } });
    expect(bench.logged).toEqual(['command_sent', 'command_sent']);
    expect(bench.events).toEqual([]);
  });

  test('delivered again is not sent again and not counted again', async () => {
    const bench = withPlan();

    await bench.deliver(s3Event());
    const second = await bench.deliver(s3Event());

    expect(second).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.logged).toEqual(['command_sent', 'command_sent', 'repeated']);
    expect(bench.commands).toHaveLength(2);
  });

  test('uploaded again under another name is the same commands', async () => {
    const bench = withPlan();
    bench.put('run-plans/copy of evening.json', 'v9', good);

    await bench.deliver(s3Event());
    await bench.deliver(s3Event(s3Record({ key: 'run-plans/copy of evening.json', versionId: 'v9' })), 'm2');

    expect(new Set(bench.commands.map(({ id }) => id)).size).toBe(2);
  });

  test('with one bad line sends nothing, is parked with every fault, and is told to the bus under one id', async () => {
    const bench = withPlan(
      aPlan({ action: 'start', run: 'smoke' }, { action: 'start', run: 'smok' }, { action: 'go' }),
    );

    const result = await bench.deliver(s3Event());
    await bench.deliver(s3Event());

    expect(bench.commands).toEqual([]);
    expect(result).toMatchObject({
      outcomes: [
        { kind: 'parked', reason: 'BAD_PLAN', subject: key, detail: expect.stringContaining('unknown run "smok"') },
      ],
    });
    expect(await bench.ledger.read<PlanRow>(pk)).toMatchObject({
      openState: 'PARKED',
      outcome: { reason: 'BAD_PLAN', detail: expect.stringMatching(/commands\[1\].*commands\[2\]/) },
      parked: { queue: 'plans', message: s3Event() },
    });
    expect(await bench.ledger.read<PlanRow>(pk)).not.toHaveProperty('expiresAt');
    expect(bench.events).toHaveLength(2);
    expect(bench.events[1]).toEqual(bench.events[0]);
    expect(bench.events[0]).toMatchObject({
      type: 'WorkParked',
      detail: { subject: pk, nextStep: expect.any(String) },
    });
  });

  test('with more faults than a row holds says how many are left out', async () => {
    const bench = withPlan(aPlan(...Array.from({ length: 100 }, () => ({ action: 'start', run: 'smok' }))));

    await bench.deliver(s3Event());

    const detail = (await bench.ledger.read<PlanRow>(pk))?.outcome?.detail ?? '';
    const listed = detail.match(/unknown run/g)?.length ?? 0;
    expect(detail.length).toBeLessThanOrEqual(2048);
    expect(listed).toBeGreaterThan(10);
    expect(detail).toMatch(new RegExp(`; and ${100 - listed} more problems$`));
    expect(bench.events[0]?.detail['detail']).toBe(detail);
  });

  // Its commands carried the instant of the upload: every start of a plan repeated hours later was
  // MISSED_WINDOW.
  test('that a person lets repeat hours later is sent as of that decision', async () => {
    const bench = withPlan('{');
    await bench.deliver(s3Event(s3Record({ eventTime: '2026-11-20T09:00:00.000Z' })));
    const row = await bench.ledger.read<PlanRow>(pk);
    if (row === undefined) throw new Error('no row');
    const resolved = resolveRepeat(row, { by: 'me', reason: 'mended', at: new Date('2026-11-20T21:59:30.000Z') });
    if (!resolved.ok) throw new Error(resolved.problem);
    await bench.ledger.write(row, resolved.row);
    bench.put(key, 'v1', good);

    await bench.deliver(s3Event(s3Record({ eventTime: '2026-11-20T09:00:00.000Z' })), 'm2');

    expect(bench.commands.map(({ issuedAt }) => issuedAt)).toEqual(Array(2).fill('2026-11-20T21:59:30.000Z'));
  });

  test('that a person lets repeat is read again', async () => {
    const bench = withPlan('{');
    await bench.deliver(s3Event());
    const row = await bench.ledger.read<PlanRow>(pk);
    const resolutions = [{ decision: 'repeat' as const, by: 'me', reason: 'mended', at: '2026-11-20T23:00:00Z' }];
    await bench.ledger.write<PlanRow>(row, { pk, kind: 'plan', bucket: 'ours', key, resolutions });
    bench.put(key, 'v1', good);

    await bench.deliver(s3Event(), 'm2');

    expect(await bench.ledger.read<PlanRow>(pk)).toMatchObject({ outcome: { kind: 'applied' }, resolutions });
  });

  test('that a day was not enough for is parked with its last error', async () => {
    const bench = withPlan();
    bench.failReads(2);

    const inTime = await bench.deliver(s3Event(), 'm1', 23);
    const result = await bench.deliver(s3Event(), 'm1', 25);

    expect(inTime).toMatchObject({ kind: 'later' });
    expect(result).toMatchObject({
      outcomes: [{ reason: 'HORIZON_EXCEEDED', detail: expect.stringContaining('no bucket') }],
    });
    expect(await bench.ledger.read<PlanRow>(pk)).not.toHaveProperty('expiresAt');
  });

  test('that is gone is parked', async () => {
    const bench = withPlan();
    bench.remove(key, 'v1');

    expect(await bench.deliver(s3Event())).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'OBJECT_GONE' }] });
  });

  test.each([
    ['by the event', 262_145, good],
    ['by its bytes', 10, `"${'x'.repeat(262_144)}"`],
  ])('that is too large %s is parked', async (_, size, plan) => {
    const bench = withPlan(plan);

    const result = await bench.deliver(s3Event(s3Record({ size })));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'OBJECT_TOO_LARGE' }] });
  });
});

describe('a worker that dies', () => {
  const effectsOfAPlan = [1, 2, 3].flatMap((effect) => [
    { effect, when: 'before' as const },
    { effect, when: 'after' as const },
  ]);

  test.each(effectsOfAPlan)(
    '[C5] $when effect $effect of a plan sends each command once by its id',
    async ({ effect, when }) => {
      const bench = withPlan();
      bench.failEffect(effect, when);

      expect(await bench.deliver(s3Event())).toMatchObject({ kind: 'later', why: `Error: died ${when}` });
      expect(await bench.deliver(s3Event())).toMatchObject({ kind: 'done' });

      expect(new Set(bench.commands.map(({ id }) => id)).size).toBe(2);
      expect(new Set(bench.commands.map((command) => JSON.stringify(command))).size).toBe(2);
    },
  );

  test('[C11] three times in a row has the plan parked, and its neighbours are sent', async () => {
    const bench = withPlan();
    const other = 'run-plans/other.json';
    bench.put(other, 'v1', aPlan({ action: 'stop', run: 'smoke' }));
    const both = s3Event(s3Record(), s3Record({ key: other }));

    for (let delivery = 1; delivery <= 3; delivery += 1) {
      bench.killWhileReading(key);
      await bench.deliver(both, 'm1', delivery);
    }
    const result = await bench.deliver(both, 'm1', 4);

    expect(await bench.ledger.read<PlanRow>(pk)).toMatchObject({
      openState: 'PARKED',
      outcome: { kind: 'parked', reason: 'CRASH_LOOP' },
    });
    expect(result).toMatchObject({
      kind: 'done',
      outcomes: [{ reason: 'CRASH_LOOP' }, { kind: 'applied', subject: other }],
    });
  });

  test('and comes back well is no crash: attempts that end are not counted', async () => {
    const bench = withPlan();
    for (let delivery = 1; delivery <= 5; delivery += 1) {
      bench.failReads(1);
      expect(await bench.deliver(s3Event(), 'm1', delivery)).toMatchObject({ kind: 'later' });
    }

    expect(await bench.deliver(s3Event(), 'm1', 6)).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await bench.ledger.read<PlanRow>(pk)).not.toHaveProperty('attempt');
  });

  test.each([1, 2].flatMap((effect) => [[effect, 'before'] as const, [effect, 'after'] as const]))(
    '[C16] at effect %i (%s) of parking leaves one row and one event id',
    async (effect, when) => {
      const bench = withPlan('no plan');
      bench.failEffect(effect, when);

      await bench.deliver(s3Event());
      await bench.deliver(s3Event());

      expect(bench.ledger.all()).toMatchObject([{ outcome: { kind: 'parked' } }]);
      expect(new Set(bench.events.map(({ detail }) => detail['eventId'])).size).toBe(1);
    },
  );
});

describe('a message that is no plan', () => {
  test.each([
    ['the test event of the bucket', JSON.stringify({ Event: 's3:TestEvent', Bucket: 'ours' })],
    ['a folder marker', s3Event(s3Record({ key: 'run-plans/weekly/', size: 0 }))],
    ['a removed object', s3Event(s3Record({ eventName: 'ObjectRemoved:Delete' }))],
  ])('is ignored: %s', async (_, body) => {
    const bench = createPlanBench();

    expect(await bench.deliver(body)).toMatchObject({ kind: 'done', outcomes: [{ kind: 'ignored' }] });
    expect(bench.ledger.all()).toEqual([]);
  });

  test.each([
    ['BAD_MESSAGE', 'no JSON'],
    ['BAD_MESSAGE', s3Event({ eventSource: 'aws:s3' })],
    ['FOREIGN_EVENT', s3Event(s3Record({ bucket: 'theirs' }))],
    ['FOREIGN_EVENT', s3Event(s3Record({ key: 'datasets/a.csv' }))],
    ['FOREIGN_EVENT', s3Event(s3Record({ eventSource: 'aws:sns' }))],
    ['BAD_KEY', s3Event(s3Record()).replace('run-plans%2Fevening.json', 'run-plans%2F%zz')],
  ])('is parked as %s without reading anything: %s', async (reason, body) => {
    const bench = createPlanBench();

    const first = await bench.deliver(body);
    const again = await bench.deliver(body);

    expect(first).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason }] });
    expect(again).toEqual({ kind: 'done', outcomes: [] });
    expect(bench.ledger.all()).toMatchObject([
      { pk: 'message#plans#m1', openState: 'PARKED', parked: { message: body } },
    ]);
    expect(bench.events.map(({ detail }) => detail['eventId'])).toEqual(['message#plans#m1', 'message#plans#m1']);
    expect(bench.reads()).toBe(0);
  });

  test('[D10] leaves its neighbours in the same event alone', async () => {
    const bench = withPlan();
    bench.put('run-plans/other.json', 'v1', aPlan({ action: 'stop', run: 'smoke' }));

    const result = await bench.deliver(
      s3Event(s3Record(), s3Record({ bucket: 'theirs' }), s3Record({ key: 'run-plans/other.json' })),
    );

    expect(result).toMatchObject({
      kind: 'done',
      outcomes: [{ kind: 'applied' }, { kind: 'applied' }, { kind: 'parked', reason: 'FOREIGN_EVENT' }],
    });
  });

  test('a record that fails sends the message back and keeps what its neighbours did', async () => {
    const bench = withPlan();
    bench.put('run-plans/other.json', 'v1', aPlan({ action: 'stop', run: 'smoke' }));
    bench.failEffect(1, 'before');

    const result = await bench.deliver(s3Event(s3Record(), s3Record({ key: 'run-plans/other.json' })));

    expect(result).toMatchObject({ kind: 'later', delayMs: 22_500, outcomes: [{ kind: 'applied' }] });
  });
});
