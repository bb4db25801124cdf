import { expect, test } from 'vitest';
import type { Log } from '#functions/_handler/output.ts';
import {
  approveRepeat,
  commandOf,
  deliverDueStops,
  dueStop,
  freeIdsOf,
  hours,
  nightly,
  plannedStopsOf,
  reservedOf,
} from './harness/guard-nights.ts';
import {
  aCommand,
  campaignId,
  createUpdateBench,
  nightlyIds,
  nightlyOfProject,
  proving,
  smokeId,
  surelyLandedMs,
} from './harness/update-bench.ts';

const stop = (fields = {}) =>
  aCommand({ id: 'by-morning@2026-11-21T06:00:00Z', action: 'stop', issuedAt: '2026-11-21T06:00:00Z', ...fields });

test('a start sends the configured word, plans its stop, reserves its campaign and is published', async () => {
  const bench = createUpdateBench();

  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
  expect(bench.patches).toMatchObject([{ campaignRunId: smokeId, status: 'running' }]);
  expect(bench.patches[0]?.startAt).toBeUndefined();
  expect(await plannedStopsOf(bench)).toEqual([
    { campaignRunId: smokeId, startId: aCommand().id, at: '2026-11-20T22:30:00.000Z', word: 'stopped' },
  ]);
  expect(await reservedOf(bench)).toEqual([smokeId]);
  expect(bench.events).toMatchObject([
    { type: 'CampaignRunStarted', detail: { run: 'smoke', stopDueAt: '2026-11-20T22:30:00.000Z' } },
  ]);
});

test('the planned stop is stored before the PATCH goes out', async () => {
  const bench = createUpdateBench();
  const planned: unknown[] = [];
  const gateway: typeof bench.gateway = {
    ...bench.gateway,
    async updateCampaignRun(input) {
      planned.push(...(await plannedStopsOf(bench)));
      return bench.gateway.updateCampaignRun(input);
    },
  };

  await bench.deliver(aCommand(), { gateway });

  expect(planned).toMatchObject([{ campaignRunId: smokeId, word: 'stopped' }]);
});

test('a delayed start tells the gateway when, and names the run by the local date', async () => {
  const bench = createUpdateBench();

  await bench.deliver(nightly('a', { startDelay: 'PT15M' }));

  expect(bench.patches).toMatchObject([
    { campaignRunId: nightlyIds[0], startAt: '2026-11-20T22:15:00.000Z', name: 'nightly 2026-11-20' },
  ]);
});

test('[C5 E1] the same command again changes nothing and repeats its event under the same id', async () => {
  const bench = createUpdateBench();

  await bench.deliver(aCommand());
  const again = await bench.deliver(aCommand());

  expect(again).toEqual({ kind: 'done', outcomes: [] });
  expect(bench.patches).toHaveLength(1);
  expect(new Set(bench.events.map((event) => event.detail['eventId'])).size).toBe(1);
});

test('a stop ends the run, its planned stop with it, and frees the campaign', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(hours(8));
  await bench.deliver(stop());
  const next = await bench.deliver(nightly('next', { issuedAt: bench.now().toISOString() }));

  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', '01:running']);
  expect(await plannedStopsOf(bench)).toMatchObject([{ startId: 'next' }]);
  expect(next).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('[E4] a start older than its stop, sent later, is superseded', async () => {
  const bench = createUpdateBench();
  bench.passMs(hours(8));
  await bench.deliver(stop());

  const late = await bench.deliver(aCommand({ validFor: 'P1D' }));

  expect(late).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.transitions).toEqual(['aa:stopped']);
});

test('a start by a listed name that is older than a stop of that name takes no id', async () => {
  const bench = createUpdateBench();
  bench.passMs(hours(8));
  await bench.deliver(stop({ run: 'nightly' }));

  const late = await bench.deliver(aCommand({ run: 'nightly', validFor: 'P1D' }));

  expect(late).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.patches).toEqual([]);
});

test('[E2] a start that comes after its validity is skipped, and a recorded stop still holds', async () => {
  const bench = createUpdateBench();
  await bench.deliver(stop({ issuedAt: '2026-11-20T21:00:00Z' }));

  bench.passMs(hours(2));
  const late = await bench.deliver(aCommand());
  const older = await bench.deliver(aCommand({ id: 'older', issuedAt: '2026-11-20T20:30:00Z', validFor: 'P1D' }));

  expect(late).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
  expect(older).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
});

test('a second run of a campaign in flight is skipped, and its id stays unused', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(1000);
  const second = await bench.deliver(nightly('other'));

  expect(second).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
  expect(bench.events.at(-1)).toMatchObject({ type: 'CampaignRunStartSkipped' });
  expect(await freeIdsOf(bench)).toEqual(nightlyIds);
});

test('a run whose planned stop is due holds its campaign until that stop is applied', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(31 * 60_000);
  const next = nightly('next', { issuedAt: '2026-11-20T22:31:00Z' });
  const waits = await bench.deliver(next);
  await deliverDueStops(bench);
  await bench.deliver(next, { receiveCount: 2 });

  expect(waits).toMatchObject({ kind: 'later', delayMs: 30_000 });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', '01:running']);
});

test('a start of the same run sends that run’s planned stop itself once it is due, and then starts', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(30 * 60_000);
  const next = aCommand({ id: 'next', issuedAt: '2026-11-20T22:30:00Z' });
  const result = await bench.deliver(next);

  expect(result).toMatchObject({
    kind: 'done',
    outcomes: [{ subject: 'next' }, { kind: 'applied', fields: { action: 'stop', campaignRunId: smokeId } }],
  });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped', 'aa:running']);
  expect(bench.events.map(({ type }) => type)).toEqual([
    'CampaignRunStarted',
    'CampaignRunStopped',
    'CampaignRunStarted',
  ]);
});

test('a start of the same run waits for a planned stop that is due within a minute', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(29.5 * 60_000);
  const waits = await bench.deliver(aCommand({ id: 'next', issuedAt: '2026-11-20T22:29:30Z' }));

  expect(waits).toMatchObject({ kind: 'later', delayMs: 30_000 });
  expect(bench.transitions).toEqual(['aa:running']);
});

test('a run without a planned stop blocks its campaign for the longest run only', async () => {
  const { name, campaign, pool, guards } = nightlyOfProject;
  const bench = createUpdateBench({ runs: { nightly: { name, campaign, pool, guards } } });
  await bench.deliver(nightly('a'));

  bench.passMs(hours(7));
  const during = await bench.deliver(nightly('b', { issuedAt: bench.now().toISOString() }));
  bench.passMs(hours(1));
  const after = await bench.deliver(nightly('c', { issuedAt: bench.now().toISOString() }));

  expect(during).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
  expect(after).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('listed ids are used one per start, and the start after the last is parked NO_RUN_LEFT', async () => {
  const bench = createUpdateBench();
  const night = (day: number) => nightly(`n${day}`, { issuedAt: bench.now().toISOString(), validFor: 'P1D' });

  for (const day of [1, 2]) {
    await bench.deliver(night(day));
    bench.passMs(hours(24));
    await deliverDueStops(bench);
  }
  const third = await bench.deliver(night(3));

  expect(bench.transitions).toEqual(['01:running', '01:stopped', '02:running', '02:stopped']);
  expect(third).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'NO_RUN_LEFT' }] });
  expect(await commandOf(bench, 'n3')).toMatchObject({ openState: 'PARKED' });
});

test('a stop by a listed name stops the id that was started last', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(hours(8));
  await bench.deliver(stop({ run: 'nightly' }));

  expect(bench.transitions).toEqual(['01:running', '01:stopped']);
});

test('a start that was not sent plans no stop, returns its id, and is tried again', async () => {
  const bench = createUpdateBench();
  bench.answerWith('not-sent');

  const first = await bench.deliver(aCommand({ run: 'nightly' }));
  const planned = await plannedStopsOf(bench);
  const free = await freeIdsOf(bench);
  bench.passMs(60_000);
  await bench.deliver(aCommand({ run: 'nightly' }));

  expect(first.kind).toBe('later');
  expect(planned).toEqual([]);
  expect(free).toEqual(nightlyIds);
  expect(bench.transitions).toEqual(['01:running']);
});

test('a start that missed its window after being refused gives its id back', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 429, text: 'slow down' });
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(hours(3));
  await bench.deliver(aCommand({ run: 'nightly' }));
  await bench.deliver(aCommand({ id: 'again', issuedAt: bench.now().toISOString(), run: 'nightly' }));

  expect(bench.transitions).toEqual(['01:running']);
});

test('[E7] a failing start never blocks its stop, and is superseded by it', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 429, text: 'slow down' }, 'ok');
  await bench.deliver(aCommand({ validFor: 'P1D' }));

  bench.passMs(hours(8));
  await bench.deliver(stop());
  const again = await bench.deliver(aCommand({ validFor: 'P1D' }));

  expect(bench.transitions).toEqual(['aa:stopped']);
  expect(again).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
});

test.each([
  ['its campaign proves that it did not begin', proving],
  ['the gateway ignores a start of a run that runs', { startsRepeatSafely: true }],
])('[E5] a start without an answer goes out again once it can land no more, if %s', async (_what, options) => {
  const bench = createUpdateBench(options);
  bench.answerWith('lost', 'ok');
  await bench.deliver(aCommand());

  const tooEarly = await bench.deliver(aCommand());
  const sentEarly = bench.patches.length;
  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand());

  expect(tooEarly).toMatchObject({ kind: 'later' });
  expect(sentEarly).toBe(1);
  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running']);
});

test('[E5] a start without an answer is applied at once if its campaign shows that it began', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('applied-then-lost');

  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied', detail: expect.stringContaining('shows') }] });
  expect(bench.patches).toHaveLength(1);
  expect(await plannedStopsOf(bench)).toMatchObject([{ campaignRunId: smokeId }]);
});

test('[E5] a start without an answer that cannot be read back is parked at once, and its stop ends the run', async () => {
  const bench = createUpdateBench();
  bench.answerWith('applied-then-lost');

  const result = await bench.deliver(aCommand());
  const row = await commandOf(bench, aCommand().id);
  bench.passMs(31 * 60_000);
  await deliverDueStops(bench);

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(row?.mayHaveRun).toEqual({ from: '2026-11-20T22:00:00.000Z', until: '2026-11-20T22:30:00.000Z' });
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
});

test('[E5] an unchanged campaign proves nothing without `confirm`: the start is parked once its validity is over', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost');
  const start = aCommand({ validFor: 'PT5M' });
  const first = await bench.deliver(start);

  bench.passMs(hours(1));
  const result = await bench.deliver(start);

  expect(first.kind).toBe('later');
  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(bench.patches).toHaveLength(1);
});

test('[E5] a start that is proven not begun too late for its repeat is skipped, with the interval of its doubt', async () => {
  const bench = createUpdateBench(proving);
  bench.answerWith('lost');
  const start = nightly('a', { validFor: 'PT5M' });
  await bench.deliver(start);

  bench.passMs(hours(1));
  const result = await bench.deliver(start);

  expect(result).toMatchObject({
    outcomes: [
      { kind: 'skipped', reason: 'MISSED_WINDOW', detail: expect.stringContaining('in doubt from 2026-11-20T22:00') },
    ],
  });
  expect(await plannedStopsOf(bench)).toEqual([]);
  expect(await freeIdsOf(bench)).toEqual(nightlyIds);
});

test('[E5] a stop waits until a start in doubt can land no more, then goes out', async () => {
  const bench = createUpdateBench();
  bench.answerWith('applied-then-lost', 'ok');
  await bench.deliver(aCommand());

  bench.passMs(10_000);
  const early = await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:10Z' }));
  const sentEarly = bench.patches.length;
  bench.passMs(61_000);
  await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:10Z' }));

  expect(early).toMatchObject({ kind: 'later' });
  expect(sentEarly).toBe(1);
  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
});

test('the gateway’s "already" text counts as done if the configuration says so, and parks if not', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 409, text: 'run is already running' }, { status: 409, text: 'archived' });

  const done = await bench.deliver(aCommand());
  const refused = await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:01Z' }));

  expect(done).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] });
  expect(await commandOf(bench, stop().id)).toMatchObject({
    parked: { httpStatus: 409, requestSent: true, queue: 'commands' },
    outcome: { detail: expect.stringContaining('archived') },
  });
});

test('a refused start frees the campaign for another', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'no' }, 'ok');
  await bench.deliver(aCommand());

  const other = await bench.deliver(aCommand({ id: 'other', run: 'nightly' }));

  expect(other).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test.each([
  ['not JSON', '{', 'BAD_MESSAGE'],
  ['an unknown action', JSON.stringify({ ...aCommand(), action: 'pause' }), 'BAD_MESSAGE'],
  ['a wrong uuid', JSON.stringify({ ...aCommand({ campaignRunId: 'x' }) }), 'BAD_MESSAGE'],
  ['an issuedAt in 2099', JSON.stringify(aCommand({ issuedAt: '2099-01-01T00:00:00Z' })), 'BAD_MESSAGE'],
  ['a prototype', '{"__proto__":{"version":1}}', 'BAD_MESSAGE'],
  ['an unknown run', JSON.stringify(aCommand({ run: 'nigthly' })), 'CONFIG'],
])('parks %s with a reason and sends nothing', async (_what, body, reason) => {
  const bench = createUpdateBench();

  const result = await bench.deliver(body);

  expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason }] });
  expect(bench.patches).toEqual([]);
  expect(bench.events).toMatchObject([{ type: 'WorkParked', detail: { nextStep: expect.any(String) } }]);
});

const quiet = () => {};

test('does a stop of a newer version, and logs which of its fields it ignored', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  const warned: unknown[] = [];
  const warn: Log['warn'] = (...line) => void warned.push(line);

  const body = JSON.stringify({ ...stop({ issuedAt: '2026-11-20T22:00:01Z' }), wave: 3 });
  const stopped = await bench.deliver(body, { log: { debug: quiet, info: quiet, warn, error: quiet } });

  expect(stopped).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(warned).toEqual([
    [
      'fields_ignored',
      'fields that this version does not know are ignored: wave',
      { commandId: 'by-morning@2026-11-21T06:00:00Z' },
    ],
  ]);
});

test('a schedule may not start an unconfigured run; an operator may', async () => {
  const bench = createUpdateBench();
  const foreign = '018f0000-0000-7000-8000-0000000000ff';

  const refused = await bench.deliver(aCommand({ campaignRunId: foreign }));
  const allowed = await bench.deliver(
    aCommand({ id: 'op', campaignRunId: foreign, origin: { kind: 'operator', name: 'ada' } }),
  );

  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFIG' }] });
  expect(allowed).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('an update changes name and preserve, passes no guard and leaves the run and its planned stop alone', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  const planned = await plannedStopsOf(bench);

  await bench.deliver(aCommand({ id: 'u1', action: 'update', name: 'kept', preserve: true }));

  expect(bench.patches.at(-1)).toMatchObject({ campaignRunId: smokeId, name: 'kept', preserve: true });
  expect(bench.patches.at(-1)?.status).toBeUndefined();
  expect(await plannedStopsOf(bench)).toEqual(planned);
});

test('an approved repeat starts its validity again', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'no' }, 'ok');
  await bench.deliver(aCommand());
  bench.passMs(hours(12));
  await approveRepeat(bench, aCommand().id);

  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('a planned stop of another start ends nothing: it is superseded', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());
  const [planned] = await plannedStopsOf(bench);
  bench.passMs(60_000);
  await bench.deliver(stop({ issuedAt: bench.now().toISOString() }));
  await bench.deliver(aCommand({ id: 'next', issuedAt: '2026-11-20T22:01:30Z' }));

  bench.passMs(30 * 60_000);
  if (planned === undefined) throw new Error('no stop was planned');
  const due = await bench.deliver(dueStop(planned));

  expect(due).toMatchObject({ outcomes: [{ kind: 'superseded' }] });
  expect(bench.statuses.get(smokeId)).toBe('running');
});
