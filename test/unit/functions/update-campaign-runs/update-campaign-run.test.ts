import { expect, test } from 'vitest';
import {
  ledgerKeys,
  type BindingItem,
  type CommandItem,
  type GuardItem,
  type RunItem,
} from '../../../../shared/ledger/items.ts';
import { aCommand, campaignId, createUpdateBench, nightlyIds, smokeId, surelyLandedMs } from './update-bench.ts';

const stop = (fields = {}) =>
  aCommand({ id: 'by-morning@2026-11-21T06:00:00Z', action: 'stop', issuedAt: '2026-11-21T06:00:00Z', ...fields });
const hours = (count: number) => count * 3_600_000;

test('a start sends the configured word and records outcome, armed stop, reservation and event', async () => {
  const bench = createUpdateBench();

  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'applied' }] });
  expect(bench.patches).toMatchObject([{ campaignRunId: smokeId, status: 'running' }]);
  expect(bench.patches[0]).not.toHaveProperty('startAt');
  expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).toMatchObject({
    applied: { action: 'start' },
    stopDue: { at: '2026-11-20T22:30:00.000Z', status: 'stopped' },
    openState: 'RUN_IN_FLIGHT',
  });
  expect(await bench.ledger.read<GuardItem>(ledgerKeys.guard('chat-bot'))).toMatchObject({
    inFlight: { campaignRunId: smokeId, until: '2026-11-20T22:30:00.000Z' },
  });
  expect(bench.events).toMatchObject([{ type: 'CampaignRunStarted', detail: { run: 'smoke' } }]);
});

test('the stop is armed before the PATCH goes out', async () => {
  const bench = createUpdateBench();
  bench.answerWith('lost');

  await bench.deliver(aCommand());

  expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).toMatchObject({ stopDue: { status: 'stopped' } });
});

test('a delayed start tells the gateway when, and names the run by the local date', async () => {
  const bench = createUpdateBench();

  await bench.deliver(aCommand({ run: 'nightly', startDelay: 'PT15M' }));

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

test('a stop ends the run, disarms its stop and frees the campaign', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(hours(8));
  await bench.deliver(stop());

  expect(bench.transitions).toEqual(['aa:running', 'aa:stopped']);
  const run = await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId));
  expect(run).not.toHaveProperty('stopDue');
  expect(run).not.toHaveProperty('openState');
  expect(await bench.ledger.read<GuardItem>(ledgerKeys.guard('chat-bot'))).not.toHaveProperty('inFlight');
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

test('[E2] a start that comes after its validity is skipped and does not displace a recorded stop', async () => {
  const bench = createUpdateBench();
  await bench.deliver(stop({ issuedAt: '2026-11-20T21:00:00Z' }));

  bench.passMs(hours(2));
  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'MISSED_WINDOW' }] });
  expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).toMatchObject({ wish: { action: 'stop' } });
});

test('a second run of a campaign in flight is skipped, and its id stays unused', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(1000);
  const second = await bench.deliver(aCommand({ id: 'other', run: 'nightly' }));

  expect(second).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
  expect(bench.events.at(-1)).toMatchObject({ type: 'CampaignRunStartSkipped' });
  expect(await bench.ledger.read<BindingItem>(ledgerKeys.binding('nightly'))).toMatchObject({ used: [] });
});

test('a run in flight by its stopAfter only blocks until then', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  bench.passMs(31 * 60_000);
  await bench.deliver(aCommand({ id: 'next', issuedAt: '2026-11-20T22:31:00Z', run: 'nightly' }));

  expect(bench.transitions).toEqual(['aa:running', '01:running']);
});

test('bound ids are used one per start and the last one parks NO_RUN_LEFT', async () => {
  const bench = createUpdateBench();
  const night = (day: number) =>
    aCommand({ id: `n${day}`, run: 'nightly', issuedAt: new Date(bench.now()).toISOString(), validFor: 'P1D' });

  for (const day of [1, 2]) {
    await bench.deliver(night(day));
    bench.passMs(hours(24));
  }
  const third = await bench.deliver(night(3));

  expect(bench.transitions).toEqual(['01:running', '02:running']);
  expect(third).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'NO_RUN_LEFT' }] });
  expect(await bench.ledger.read<CommandItem>(ledgerKeys.command('n3'))).toMatchObject({ openState: 'PARKED' });
});

test('a stop by a listed name stops the id that was started last', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(hours(8));
  await bench.deliver(stop({ run: 'nightly' }));

  expect(bench.transitions).toEqual(['01:running', '01:stopped']);
});

test('a start that was not sent keeps its id and reservation, arms nothing, and is tried again', async () => {
  const bench = createUpdateBench();
  bench.answerWith('not-sent');

  const first = await bench.deliver(aCommand({ run: 'nightly' }));
  const row = await bench.ledger.read<RunItem>(ledgerKeys.run(nightlyIds[0]));
  bench.passMs(60_000);
  await bench.deliver(aCommand({ run: 'nightly' }));

  expect(first.kind).toBe('later');
  expect(row).not.toHaveProperty('stopDue');
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

test('[E5] a start of unknown outcome waits out its doubt and repeats while it is valid', async () => {
  const bench = createUpdateBench();
  bench.answerWith('lost', 'ok');
  await bench.deliver(aCommand());

  const tooEarly = await bench.deliver(aCommand());
  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand());

  expect(tooEarly).toMatchObject({ kind: 'later' });
  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['aa:running']);
});

test('[E5] a start of unknown outcome is parked with its stop armed when the campaign says that a run has started', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('applied-then-lost');
  await bench.deliver(aCommand());

  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(bench.patches).toHaveLength(1);
  expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).toMatchObject({ stopDue: { status: 'stopped' } });
});

test('[E5] a start of unknown outcome is parked once its validity is over', async () => {
  const bench = createUpdateBench();
  bench.answerWith('lost');
  await bench.deliver(aCommand({ validFor: 'PT5M' }));

  bench.passMs(hours(1));
  const result = await bench.deliver(aCommand({ validFor: 'PT5M' }));

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(bench.patches).toHaveLength(1);
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

test('the gateway’s "already" text counts as done where the configuration says so, and parks where not', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 409, text: 'run is already running' }, { status: 409, text: 'archived' });

  const done = await bench.deliver(aCommand());
  const refused = await bench.deliver(stop({ issuedAt: '2026-11-20T22:00:01Z' }));

  expect(done).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] });
  expect(await bench.ledger.read<CommandItem>(ledgerKeys.command(stop().id))).toMatchObject({
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

test('a schedule may not start a run that nobody configured; an operator may', async () => {
  const bench = createUpdateBench();
  const foreign = '018f0000-0000-7000-8000-0000000000ff';

  const refused = await bench.deliver(aCommand({ campaignRunId: foreign }));
  const allowed = await bench.deliver(
    aCommand({ id: 'op', campaignRunId: foreign, origin: { kind: 'operator', name: 'ada' } }),
  );

  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFIG' }] });
  expect(allowed).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});

test('an update changes name and preserve, passes no guard and displaces no wish', async () => {
  const bench = createUpdateBench();
  await bench.deliver(aCommand());

  await bench.deliver(aCommand({ id: 'u1', action: 'update', name: 'kept', preserve: true }));

  expect(bench.patches.at(-1)).toMatchObject({ campaignRunId: smokeId, name: 'kept', preserve: true });
  expect(bench.patches.at(-1)?.status).toBeUndefined();
  expect(await bench.ledger.read<RunItem>(ledgerKeys.run(smokeId))).toMatchObject({ wish: { action: 'start' } });
});

test('an approved repeat starts its validity anew', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'no' }, 'ok');
  await bench.deliver(aCommand());
  const parkedRow = await bench.ledger.read<CommandItem>(ledgerKeys.command(aCommand().id));
  if (parkedRow === undefined) throw new Error('expected a parked row');
  bench.passMs(hours(12));
  const { outcome: _outcome, parked: _parked, openState: _state, openSince: _since, ...rest } = parkedRow;
  const approval = { decision: 'repeat' as const, by: 'ada', reason: 'repaired', at: bench.now().toISOString() };
  await bench.ledger.write<CommandItem>(parkedRow, { ...rest, resolutions: [approval] });

  const result = await bench.deliver(aCommand());

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
});
