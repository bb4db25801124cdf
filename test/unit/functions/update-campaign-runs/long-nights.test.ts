/** What fails for hours, and who dies of it: everything ends, and no stop waits for a start. */
import { expect, test } from 'vitest';
import { approveRepeat, commandOf, hours, outcomeOf, plannedStopsOf, reservedOf } from './harness/guard-nights.ts';
import { mortalWorker } from './harness/mortal-worker.ts';
import {
  aCommand,
  type Answer,
  campaignId,
  createUpdateBench,
  nightlyIds,
  proving,
  smokeId,
  surelyLandedMs,
} from './harness/update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

const minutes = (count: number) => count * 60_000;
const busy = { status: 429, text: 'busy' };
const stop = (fields = {}) => aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-21T06:00:00Z', ...fields });

/** Delivers one message as its queue would, until it ends or `untilMs` is over. */
async function deliverUntil(bench: Bench, command: ReturnType<typeof aCommand>, untilMs: number) {
  const sentAt = bench.now();
  for (let receiveCount = 1; ; receiveCount += 1) {
    const result = await bench.deliver(command, { sentAt, receiveCount });
    if (result.kind === 'done' || bench.now().getTime() + result.delayMs > untilMs) return result;
    bench.passMs(result.delayMs);
  }
}

const failing: readonly [string, Answer][] = [
  ['answers 500', { status: 500, text: 'broken' }],
  ['refuses connections', 'not-sent'],
  ['applies and never answers', 'applied-then-lost'],
  ['never answers', 'lost'],
];

test.each(failing)('[E7] a gateway that %s for hours keeps no stop waiting', async (_what, answer) => {
  const bench = createUpdateBench({ startsRepeatSafely: true });
  bench.answerWith(...Array.from<Answer>({ length: 500 }).fill(answer));
  const start = aCommand({ validFor: 'P1D', stopAfter: 'PT10H' });
  await deliverUntil(bench, start, Date.parse('2026-11-21T06:00:00Z'));
  bench.passMs(Math.max(0, Date.parse('2026-11-21T06:00:00Z') - bench.now().getTime()));
  bench.answerWith();

  await deliverUntil(bench, stop(), bench.now().getTime() + minutes(2));
  const statusSoon = bench.statuses.get(smokeId);
  bench.passMs(surelyLandedMs);
  await bench.deliver(stop());
  await bench.deliver(start);

  expect(statusSoon).toBe('stopped');
  expect(bench.patches.at(-1)?.status).toBe('stopped');
  expect(await outcomeOf(bench, start.id)).toMatchObject({ kind: 'superseded' });
  expect(await outcomeOf(bench, 'stop')).toMatchObject({ kind: 'applied' });
});

test('[E6] a start that lands after its stop is stopped once more', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ lateMs: minutes(4) });
  await bench.deliver(aCommand());
  bench.passMs(61_000);
  const early = stop({ issuedAt: '2026-11-20T22:00:30Z' });

  const first = await bench.deliver(early);
  const plannedMeanwhile = await plannedStopsOf(bench);
  const result = await deliverUntil(bench, early, bench.now().getTime() + minutes(30));

  expect(first).toMatchObject({ kind: 'later' });
  expect(plannedMeanwhile).toMatchObject([{ campaignRunId: smokeId, word: 'stopped' }]);
  expect(bench.transitions).toEqual(['aa:stopped', 'aa:running', 'aa:stopped']);
  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(await plannedStopsOf(bench)).toEqual([]);
});

test('[E10] what a person changed by hand is not changed back', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:01Z' }));
  bench.changeByHand(smokeId, 'running');

  for (let again = 0; again < 3; again += 1) {
    bench.passMs(hours(1));
    await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:01Z' }));
    await bench.deliver(aCommand());
  }

  expect(bench.patches).toHaveLength(2);
  expect(bench.statuses.get(smokeId)).toBe('running');
});

test('[E8] a startAt that the gateway finds in the past parks the start, and nothing is started', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'startAt is in the past' });
  const slow = { skewMs: -minutes(5) };

  const result = await bench.deliver(aCommand({ startDelay: 'PT4M' }), slow);

  expect(bench.patches).toMatchObject([{ startAt: '2026-11-20T22:04:00.000Z' }]);
  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'VALIDATION' }] });
  expect(bench.transitions).toEqual([]);
});

test.each([
  ['waits for what the campaign shows', proving, [{ kind: 'later' }]],
  ['asks for a person if it cannot tell, until the gateway’s yes is heard', {}, [{ kind: 'done' }]],
])(
  '[F8] a worker whose clock is five minutes fast sends no start that another is sending: it %s',
  async (_what, options, expected) => {
    const bench = createUpdateBench(options);
    const seconds: unknown[] = [];
    const gateway: typeof bench.gateway = {
      ...bench.gateway,
      async updateCampaignRun(input) {
        seconds.push(await bench.deliver(aCommand(), { skewMs: minutes(5) }));
        return bench.gateway.updateCampaignRun(input);
      },
    };

    const first = await bench.deliver(aCommand(), { gateway });

    expect(first).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(seconds).toMatchObject(expected);
    expect(await outcomeOf(bench, aCommand().id)).toMatchObject({ kind: 'applied' });
    expect(bench.patches).toHaveLength(1);
  },
);

test('a repeat ordered before a start was sent says nothing about that start, whatever the laptop’s clock said', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith({ status: 422, text: 'not yet' }, 'lost');
  await bench.deliver(aCommand());
  await approveRepeat(bench, aCommand().id, new Date(bench.now().getTime() + minutes(4)));
  await bench.deliver(aCommand());

  bench.passMs(hours(2));
  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(bench.patches).toHaveLength(2);
});

test.each([
  ['start', aCommand({ validFor: 'P7D', run: 'nightly' })],
  ['update', aCommand({ id: 'u', action: 'update', name: 'kept' })],
  ['stop', stop({ issuedAt: '2026-11-20T22:00:00Z' })],
])('a %s that a day was not enough for is parked with what its last request showed', async (_action, command) => {
  const bench = createUpdateBench();
  bench.answerWith(...Array.from({ length: 3000 }, () => busy));

  const inTime = await deliverUntil(bench, command, bench.now().getTime() + hours(23));
  const result = await bench.deliver(command, {
    sentAt: new Date(bench.now().getTime() - hours(25)),
    receiveCount: 99,
  });

  expect(inTime.kind).toBe('later');
  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'HORIZON_EXCEEDED' }] });
  expect(await commandOf(bench, command.id)).toMatchObject({
    openState: 'PARKED',
    parked: {
      httpStatus: 429,
      errorCode: expect.any(String),
      requestSent: true,
      requestId: expect.any(String),
      attempts: 99,
    },
    outcome: { detail: expect.stringContaining('busy') },
  });
});

test.each([
  ['by its id', { campaignRunId: smokeId }],
  ['by its name', { run: 'smoke' }],
])(
  'a stop (%s) that a day was not enough for says that the run may go on, and to stop it by hand',
  async (_what, about) => {
    const bench = createUpdateBench();
    await bench.deliver(aCommand());
    bench.answerWith(busy);

    await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:01Z', ...about }), {
      sentAt: new Date(bench.now().getTime() - hours(25)),
    });

    expect(bench.events.at(-1)).toMatchObject({
      type: 'WorkParked',
      detail: {
        reason: 'HORIZON_EXCEEDED',
        campaignRunId: smokeId,
        detail: expect.stringMatching(/busy.*may still be running.*stop it at the gateway by hand/),
        nextStep: expect.stringContaining('stop it at the gateway by hand'),
      },
    });
    expect(bench.statuses.get(smokeId)).toBe('running');
  },
);

test('a start that is given up frees its campaign and its id, and a stop that is given up holds no start back', async () => {
  const bench = createUpdateBench();
  const old = { sentAt: new Date(bench.now().getTime() - hours(25)) };
  bench.answerWith(busy, busy);
  await bench.deliver(aCommand({ validFor: 'P7D', run: 'nightly' }), old);
  await bench.deliver(stop({ campaignRunId: nightlyIds[0], issuedAt: '2026-11-20T22:00:01Z' }), old);

  const reserved = await reservedOf(bench);
  const next = await bench.deliver(aCommand({ id: 'next', run: 'nightly', issuedAt: '2026-11-20T22:00:02Z' }));

  expect(reserved).toEqual([]);
  expect(next).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['01:running']);
});

test('a start in doubt is parked with the id of the request that may have started it, and not with that of a read that never left', async () => {
  const bench = createUpdateBench({ campaignId, campaignAnswers: ['ok', 'not-sent', 'not-sent'] });
  bench.answerWith('applied-then-lost');
  await bench.deliver(aCommand({ validFor: 'P7D' }));

  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand({ validFor: 'P7D' }), {
    sentAt: new Date(bench.now().getTime() - hours(25)),
  });

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  const { parked } = (await commandOf(bench, aCommand().id)) ?? {};
  expect(parked).toMatchObject({ requestSent: true, requestId: 'attempt-1' });
  expect(parked).not.toHaveProperty('errorCode');
});

test('a start in doubt that a day was not enough for says that it may have been sent, with its stop armed', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost');
  const start = aCommand({ validFor: 'P7D' });
  const first = await bench.deliver(start);

  const result = await bench.deliver(start, { sentAt: new Date(bench.now().getTime() - hours(25)) });

  expect(first.kind).toBe('later');
  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(await commandOf(bench, start.id)).toMatchObject({ parked: { requestSent: true, requestId: 'attempt-1' } });
  expect(await plannedStopsOf(bench)).toMatchObject([{ campaignRunId: smokeId }]);
});

// The row is written before the PATCH: from that write on the start may have been sent.
test.each([
  ['before it has written anything', 0, 'CRASH_LOOP'],
  ['right before its PATCH', 1, 'START_OUTCOME_UNKNOWN'],
  ['right after its PATCH', 2, 'START_OUTCOME_UNKNOWN'],
])(
  '[C11] a start whose worker dies %s, and then each time, is parked after three deaths',
  async (_moment, killAfter, reason) => {
    const bench = createUpdateBench();
    const start = aCommand({ validFor: 'P1D' });

    for (let receiveCount = 1; receiveCount <= 3; receiveCount += 1) {
      // A worker that waits has no effect to die of: only a mark can tell that it died.
      const dying = mortalWorker(bench, { killAfter: receiveCount === 1 ? killAfter : 1 });
      await bench.deliver(start, { ...dying, receiveCount });
      bench.passMs(minutes(3));
    }
    const sent = bench.patches.length;
    const result = await bench.deliver(start, { receiveCount: 4 });

    const mayHaveBeenSent = reason === 'START_OUTCOME_UNKNOWN';
    const detail = expect.stringContaining('3 attempts started');
    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason, detail }] });
    expect(bench.patches).toHaveLength(sent);
    const row = await commandOf(bench, start.id);
    expect(row?.parked?.requestSent ?? false).toBe(mayHaveBeenSent);
    expect(await plannedStopsOf(bench)).toHaveLength(mayHaveBeenSent ? 1 : 0);
  },
);

test.each([3, 4])('[C11] a start whose worker dies after effect %i has its outcome already', async (killAfter) => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand(), mortalWorker(bench, { killAfter }));

  const again = await bench.deliver(aCommand(), { receiveCount: 2 });

  expect(again).toEqual({ kind: 'done', outcomes: [] });
  expect(await outcomeOf(bench, aCommand().id)).toMatchObject({ kind: 'applied' });
  expect(bench.patches).toHaveLength(1);
});

test('[C11] attempts that end are no deaths, however many, and a start that ends well writes twice', async () => {
  const bench = createUpdateBench();
  bench.answerWith(...Array.from({ length: 6 }, () => busy));
  const start = aCommand({ validFor: 'P1D' });
  const calm = createUpdateBench();
  let writes = 0;
  const ledger: typeof calm.ledger = {
    ...calm.ledger,
    async writeAll(changes) {
      writes += 1;
      return calm.ledger.writeAll(changes);
    },
  };
  await calm.deliver(start, { ledger });

  const kinds: string[] = [];
  for (let receiveCount = 1; receiveCount <= 7; receiveCount += 1) {
    kinds.push((await bench.deliver(start, { receiveCount })).kind);
    bench.passMs(minutes(3));
  }

  expect(kinds).toEqual(['later', 'later', 'later', 'later', 'later', 'later', 'done']);
  expect(await outcomeOf(calm, start.id)).toMatchObject({ kind: 'applied' });
  expect(writes).toBe(2);
});

test('a start in doubt keeps its campaign until its stop is through, which then supersedes it', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost');
  const start = aCommand({ campaignRunId: smokeId });
  const byId = stop({ campaignRunId: smokeId, issuedAt: '2026-11-20T22:00:30Z' });
  await bench.deliver(start);
  await bench.deliver(byId);

  const held = await bench.deliver(start);
  const other = await bench.deliver(aCommand({ id: 'other', run: 'nightly', issuedAt: '2026-11-20T22:00:40Z' }));
  const stopped = await deliverUntil(bench, byId, bench.now().getTime() + minutes(30));
  const ended = await bench.deliver(start);

  expect(held.kind).toBe('later');
  expect(other).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
  expect(stopped).toMatchObject({
    outcomes: [
      { kind: 'applied', subject: 'stop' },
      { kind: 'superseded', subject: start.id },
    ],
  });
  expect(ended).toEqual({ kind: 'done', outcomes: [] });
  expect(await commandOf(bench, start.id)).toMatchObject({
    outcome: { kind: 'superseded', detail: expect.stringContaining('it may have run from 2026-11-20T22:00:00.000Z') },
    mayHaveRun: { from: '2026-11-20T22:00:00.000Z' },
  });
});

test('an update of unknown outcome holds a newer one back until it can land no more, and repeats itself freely', async () => {
  const bench = createUpdateBench();
  const first = aCommand({ id: 'u1', action: 'update', name: 'first' });
  const second = aCommand({ id: 'u2', action: 'update', name: 'second', issuedAt: '2026-11-20T22:00:01Z' });
  bench.answerWith('lost', 'lost');
  await bench.deliver(first);

  const early = await bench.deliver(second);
  await bench.deliver(first);
  bench.passMs(surelyLandedMs);
  const late = await bench.deliver(second);
  const replaced = await bench.deliver(first);

  expect(early).toMatchObject({ kind: 'later' });
  expect(late).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(replaced).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.patches.map(({ name }) => name)).toEqual(['first', 'first', 'second']);
});

test('[A22] a campaign that may not be read parks its start after three tries', async () => {
  const forbidden = { status: 403, text: 'no permission' };
  const bench = createUpdateBench({ campaignId, campaignAnswers: [forbidden, forbidden, forbidden] });
  const start = aCommand({ validFor: 'P1D' });

  const results = [await bench.deliver(start), await bench.deliver(start), await bench.deliver(start)];

  expect(results.map(({ kind }) => kind)).toEqual(['later', 'later', 'done']);
  expect(results[2]).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'FORBIDDEN' }] });
  expect(bench.patches).toEqual([]);
});

test('[A23] a run that is not there is asked for for ten minutes, then parked', async () => {
  const bench = createUpdateBench();
  const missing = { status: 404, text: 'no such run' };
  bench.answerWith(missing, missing, missing);
  const start = aCommand({ validFor: 'P1D' });

  const first = await bench.deliver(start);
  bench.passMs(minutes(9));
  const second = await bench.deliver(start);
  bench.passMs(minutes(2));
  const third = await bench.deliver(start);

  expect([first.kind, second.kind]).toEqual(['later', 'later']);
  expect(third).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'RUN_NOT_FOUND' }] });
});
