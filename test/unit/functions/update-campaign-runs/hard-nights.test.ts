/**
 * Nights on which several things go wrong: each of these once ended with a run that nothing
 * stopped, or a start that was never made.
 */
import { expect, test } from 'vitest';
import {
  approveRepeat,
  bindId,
  deliverDueStops,
  operator,
  outcomeOf,
  plannedStopsOf,
  reservedOf,
} from './harness/guard-nights.ts';
import {
  aCommand,
  type Answer,
  campaignId,
  createUpdateBench,
  nightlyIds,
  nightlyOfProject,
  smokeId,
  surelyLandedMs,
} from './harness/update-bench.ts';

const minutes = (count: number) => count * 60_000;
const stop = (fields = {}) => aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:04:00Z', ...fields });
const busy = { status: 429, text: 'busy' };

/** A start of a run that runs already, which an operator insists on. */
const sentOver = (issuedAt: string) =>
  aCommand({
    id: 'second',
    issuedAt,
    origin: operator,
    override: { guards: ['overlap'], reason: 'CHG-9' },
  });

test('a repeat that is refused does not forget that the first attempt may have started the run', async () => {
  const bench = createUpdateBench({ startsRepeatSafely: true });
  bench.answerWith('applied-then-lost', { status: 409, text: 'in progress' });
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand({ run: 'nightly' }));

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(await reservedOf(bench)).toEqual([nightlyIds[0]]);
  bench.passMs(minutes(480));
  await deliverDueStops(bench);
  expect(bench.transitions).toEqual(['01:running', '01:stopped']);
});

test('a repeat that is put off keeps the doubt, and its missed window parks it: a stop by name still ends it', async () => {
  const bench = createUpdateBench({ startsRepeatSafely: true });
  bench.answerWith('applied-then-lost', busy);
  await bench.deliver(aCommand({ run: 'nightly' }));
  bench.passMs(surelyLandedMs);
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(minutes(90));
  const result = await bench.deliver(aCommand({ run: 'nightly' }));
  await bench.deliver(stop({ run: 'nightly', issuedAt: bench.now().toISOString() }));

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(bench.transitions).toEqual(['01:running', '01:stopped']);
});

test('a refused stop does not block the next start', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.answerWith({ status: 409, text: 'the run is complete' });
  const refused = await bench.deliver(stop());
  bench.passMs(minutes(60));

  // The planned stop is due by now: the start sends it, and then goes out.
  const start = aCommand({ id: 'next', issuedAt: bench.now().toISOString() });
  const next = await bench.deliver(start);

  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] });
  expect(next).toMatchObject({ outcomes: [{ kind: 'applied', subject: 'next' }, { kind: 'applied' }] });
});

test('a stop that the gateway refuses because it was stopped before is done', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  await bench.deliver(stop());
  bench.answerWith({ status: 409, text: 'not running' });

  const again = await bench.deliver(stop({ id: 'weekend', issuedAt: '2026-11-20T22:04:30Z' }));

  expect(again).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('not running') }] });
});

test('a start that waits for a stop ends when its validity is over', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.answerWith(busy);
  await bench.deliver(stop());
  const start = aCommand({ id: 'next', issuedAt: '2026-11-20T22:04:30Z', validFor: 'PT5M' });

  bench.passMs(minutes(5));
  const waiting = await bench.deliver(start);
  bench.passMs(minutes(10));
  const over = await bench.deliver(start);

  expect(waiting).toMatchObject({ kind: 'later' });
  expect(over).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
});

test('a start that was never applied does not outrank a stop', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(minutes(10));
  bench.answerWith('not-sent');
  await bench.deliver(sentOver('2026-11-20T22:10:00Z'));

  const stopped = await bench.deliver(stop());

  expect(stopped).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.statuses.get(smokeId)).toBe('stopped');
});

test('a refused second start keeps the first one’s stop armed', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.answerWith({ status: 409, text: 'no' });

  await bench.deliver(sentOver('2026-11-20T22:00:01Z'));

  expect(await outcomeOf(bench, 'second')).toMatchObject({ kind: 'parked', reason: 'CONFLICT' });
  expect(await plannedStopsOf(bench)).toMatchObject([{ startId: aCommand().id }]);
  expect(await reservedOf(bench)).toEqual([smokeId]);
});

test('a start over a run, which plans no stop itself, takes over that run’s planned stop', async () => {
  const { campaign, guards } = nightlyOfProject;
  const pool = { kind: 'repeat', campaignRunId: smokeId } as const;
  const bench = createUpdateBench({ runs: { smoke: { name: 'smoke', campaign, guards, pool } } });
  await bench.deliver(aCommand({ stopAfter: 'PT30M' }));

  const second = await bench.deliver(sentOver('2026-11-20T22:00:01Z'));
  bench.passMs(minutes(31));
  await deliverDueStops(bench);

  expect(second).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.statuses.get(smokeId)).toBe('stopped');
});

test('with overlapping starts a stop by name stops every live run, also if one of them is refused', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  await bench.deliver(aCommand({ id: 'a', run: 'nightly' }));
  await bench.deliver(aCommand({ id: 'b', run: 'nightly', issuedAt: '2026-11-20T22:00:01Z' }));
  bench.answerWith({ status: 409, text: 'complete' }, 'ok');

  const result = await bench.deliver(stop({ run: 'nightly' }));

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] });
  expect(bench.statuses.get(nightlyIds[0])).toBe('stopped');
});

test('a stop by name reaches the run that was started under an earlier configuration', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.deployRuns({});

  const result = await bench.deliver(stop());

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
  expect(await reservedOf(bench)).toEqual([]);
});

test('a start by uuid of a listed id uses it up, and a stop by name reaches it', async () => {
  const bench = createUpdateBench();
  const byHand = { kind: 'operator' as const, name: 'ada' };
  await bench.deliver(aCommand({ id: 'by-hand', campaignRunId: nightlyIds[0], origin: byHand }));

  await bench.deliver(stop({ run: 'nightly' }));
  await bench.deliver(aCommand({ id: 'next', run: 'nightly', issuedAt: '2026-11-20T22:04:30Z' }));

  expect(bench.transitions).toEqual(['01:running', '01:stopped', '02:running']);
});

test('an id that an operator bound has the guards of its run', async () => {
  const bench = createUpdateBench();
  const bound = '018f0000-0000-7000-8000-0000000000b0';
  await bindId(bench, bound);
  await bench.deliver(aCommand());

  const second = await bench.deliver(
    aCommand({ id: 'b', campaignRunId: bound, origin: { kind: 'operator', name: 'ada' } }),
  );

  expect(second).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
});

test.each<[string, Answer, string]>([
  ['is used up by a refusal that is about the run', { status: 409, text: 'archived' }, '02:running'],
  ['is not used up by a refusal that is about the request', { status: 422, text: 'name: too long' }, '01:running'],
])('an id %s: a repeat takes the first that is left', async (_what, refusal, transition) => {
  const bench = createUpdateBench();
  bench.answerWith(refusal, 'ok');
  await bench.deliver(aCommand({ run: 'nightly' }));
  bench.passMs(minutes(5));
  await approveRepeat(bench, aCommand().id);

  await bench.deliver(aCommand({ run: 'nightly' }));

  expect(bench.transitions).toEqual([transition]);
});

test('a person who looked may have a start of unknown outcome sent again', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost', 'ok');
  await bench.deliver(aCommand());
  bench.passMs(minutes(90));
  await bench.deliver(aCommand());
  const parked = await outcomeOf(bench, aCommand().id);
  await approveRepeat(bench, aCommand().id);

  const result = await bench.deliver(aCommand());

  expect(parked).toMatchObject({ reason: 'START_OUTCOME_UNKNOWN' });
  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running']);
});

test('a repeat approved in the morning outranks the stop of the night', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'not yet' }, 'ok', 'ok');
  await bench.deliver(aCommand());
  await bench.deliver(stop());
  bench.passMs(minutes(600));
  await approveRepeat(bench, aCommand().id);

  await bench.deliver(aCommand());

  expect(bench.statuses.get(smokeId)).toBe('running');
});

test('a start in doubt whose campaign cannot be read is parked once its validity is over', async () => {
  const forbidden = { status: 403, text: 'no permission' };
  const bench = createUpdateBench({ campaignId, campaignAnswers: ['ok', forbidden, forbidden] });
  bench.answerWith('lost');
  await bench.deliver(aCommand());

  bench.passMs(surelyLandedMs);
  const first = await bench.deliver(aCommand());
  bench.passMs(minutes(90));
  const last = await bench.deliver(aCommand());

  expect(first.kind).toBe('later');
  expect(last).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
});

test('one 403 after an outage parks nothing; three in a row do', async () => {
  const bench = createUpdateBench();
  const forbidden = { status: 403, text: 'no permission' };
  bench.answerWith(busy, busy, busy, forbidden, forbidden, forbidden);
  const start = aCommand({ validFor: 'P1D' });

  const kinds: string[] = [];
  for (let delivery = 1; delivery <= 6; delivery += 1) {
    kinds.push((await bench.deliver(start, { receiveCount: delivery })).kind);
    bench.passMs(minutes(1));
  }

  expect(kinds).toEqual(['later', 'later', 'later', 'later', 'later', 'done']);
  expect(await outcomeOf(bench, start.id)).toMatchObject({ kind: 'parked', reason: 'FORBIDDEN' });
});

test('a stop that was received often still comes back within a minute when something breaks', async () => {
  const bench = createUpdateBench();
  const broken = { ...bench.ledger, writeAll: async () => Promise.reject(new Error('the table is busy')) };

  const result = await bench.deliver(stop({ issuedAt: '2026-11-20T21:00:00Z' }), { receiveCount: 40, ledger: broken });

  expect(result).toMatchObject({ kind: 'later' });
  expect(result.kind === 'later' ? result.delayMs : Infinity).toBeLessThanOrEqual(60_000);
});

test('a start waits until a stop of unknown outcome can land no more', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  bench.passMs(minutes(10));
  bench.answerWith('lost', 'ok', 'ok');
  await bench.deliver(stop());
  await bench.deliver(stop());

  const start = aCommand({ id: 'next', issuedAt: '2026-11-20T22:10:30Z' });
  const early = await bench.deliver(start);
  bench.passMs(surelyLandedMs);
  const late = await bench.deliver(start);

  expect(early.kind).toBe('later');
  expect(late).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('an event that is repeated says all that it said at first', async () => {
  const bench = createUpdateBench();

  await bench.deliver(aCommand());
  await bench.deliver(aCommand());

  expect(bench.events[1]).toEqual(bench.events[0]);
  expect(bench.events[0]?.detail).toMatchObject({ campaign: 'chat-bot', stopDueAt: '2026-11-20T22:30:00.000Z' });
});

test('a campaign that shows nothing is read again with back-off, and at the instant from which it can prove something', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost');
  const start = aCommand({ validFor: 'P1D' });

  const delays: number[] = [];
  for (let receiveCount = 1; receiveCount <= 6; receiveCount += 1) {
    const result = await bench.deliver(start, { receiveCount });
    const delayMs = result.kind === 'later' ? result.delayMs : 0;
    delays.push(delayMs / 1000);
    bench.passMs(delayMs);
  }

  // The request can land until 22:01, and by the slowest clock until 22:06.
  expect(delays).toEqual([22.5, 45, 90, 180, 22.5, 720]);
});
