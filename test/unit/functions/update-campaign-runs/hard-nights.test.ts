import { expect, test } from 'vitest';
import {
  type BindingItem,
  type CommandItem,
  type GuardItem,
  ledgerKeys,
  type Resolution,
  type RunItem,
} from '../../../../shared/ledger/items.ts';
import { resolveRepeat } from '../../../../shared/ledger/resolve-parked.ts';
import { aCommand, campaignId, createUpdateBench, nightlyIds, smokeId, surelyLandedMs } from './update-bench.ts';

type Bench = ReturnType<typeof createUpdateBench>;

/** Nights on which several things go wrong: each of these once ended with a run that nobody stopped, or a start that nobody made. */

const minutes = (count: number) => count * 60_000;
const stop = (fields = {}) => aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:04:00Z', ...fields });
const runRow = async (bench: Bench, id: string = smokeId) => bench.ledger.read<RunItem>(ledgerKeys.run(id));
const busy = { status: 429, text: 'busy' };

async function approveRepeat(bench: Bench, id: string): Promise<void> {
  const row = await bench.ledger.read<CommandItem>(ledgerKeys.command(id));
  if (row === undefined) throw new Error(`no row of ${id}`);
  const decision: Pick<Resolution, 'by' | 'reason'> = { by: 'ada', reason: 'looked' };
  const resolved = resolveRepeat(row, { ...decision, at: bench.now() });
  if (!resolved.ok || resolved.item.kind !== 'command') throw new Error('not resolved');
  await bench.ledger.write<CommandItem>(row, resolved.item);
}

test('a repeat that is refused does not forget that the first attempt may have started the run', async () => {
  const bench = createUpdateBench();
  bench.answerWith('applied-then-lost', { status: 409, text: 'in progress' });
  await bench.deliver(aCommand({ run: 'nightly' }));

  bench.passMs(surelyLandedMs);
  const result = await bench.deliver(aCommand({ run: 'nightly' }));

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect(await runRow(bench, nightlyIds[0])).toMatchObject({
    stopDue: { status: 'stopped' },
    openState: 'RUN_IN_FLIGHT',
  });
  expect(await bench.ledger.read<GuardItem>(ledgerKeys.guard('chat-bot'))).toHaveProperty('inFlight');
});

test('a repeat that is put off keeps the doubt, and its missed window parks it with the stop armed and the id used', async () => {
  const bench = createUpdateBench();
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

  const next = await bench.deliver(aCommand({ id: 'next', issuedAt: bench.now().toISOString() }));

  expect(refused).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'CONFLICT' }] });
  expect(next).toMatchObject({ outcomes: [{ kind: 'applied' }] });
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
  const bench = createUpdateBench({ overlap: 'allow' });
  await bench.deliver(aCommand());
  bench.passMs(minutes(10));
  bench.answerWith('not-sent');
  await bench.deliver(aCommand({ id: 'second', issuedAt: '2026-11-20T22:10:01Z' }));

  const stopped = await bench.deliver(stop());

  expect(stopped).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.statuses.get(smokeId)).toBe('stopped');
});

test('a refused second start keeps the first one’s stop armed', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  await bench.deliver(aCommand());
  bench.answerWith({ status: 409, text: 'no' });

  await bench.deliver(aCommand({ id: 'second', issuedAt: '2026-11-20T22:00:01Z' }));

  expect(await runRow(bench)).toMatchObject({ stopDue: { commandId: aCommand().id }, openState: 'RUN_IN_FLIGHT' });
});

test('with overlapping starts a stop by name stops every live run, also where one of them is refused', async () => {
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
  expect(await bench.ledger.read<GuardItem>(ledgerKeys.guard('chat-bot'))).not.toHaveProperty('inFlight');
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
  await bench.ledger.write<BindingItem>(undefined, {
    pk: ledgerKeys.binding('nightly'),
    kind: 'binding',
    run: 'nightly',
    used: [],
    added: [bound],
  });
  await bench.deliver(aCommand());

  const second = await bench.deliver(
    aCommand({ id: 'b', campaignRunId: bound, origin: { kind: 'operator', name: 'ada' } }),
  );

  expect(second).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
});

test('a repeat after a refused id takes the next one', async () => {
  const bench = createUpdateBench();
  bench.answerWith({ status: 422, text: 'archived' }, 'ok');
  await bench.deliver(aCommand({ run: 'nightly' }));
  bench.passMs(minutes(5));
  await approveRepeat(bench, aCommand().id);

  await bench.deliver(aCommand({ run: 'nightly' }));

  expect(bench.transitions).toEqual(['02:running']);
});

test('a person who looked may have a start of unknown outcome sent again', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost', 'ok');
  await bench.deliver(aCommand());
  bench.startByHand();
  bench.passMs(surelyLandedMs);
  await bench.deliver(aCommand());
  bench.passMs(minutes(200));
  await approveRepeat(bench, aCommand().id);

  const result = await bench.deliver(aCommand());

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
  expect(await bench.ledger.read<CommandItem>(ledgerKeys.command(start.id))).toMatchObject({
    outcome: { kind: 'parked', reason: 'FORBIDDEN' },
  });
});

test('a stop that was received often still comes back within a minute when something breaks', async () => {
  const bench = createUpdateBench();
  const broken = { ...bench.ledger, write: async () => Promise.reject(new Error('the table is busy')) };

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

test('decades of nights keep the row of a run small', async () => {
  const bench = createUpdateBench();
  const ids = Array.from({ length: 700 }, (_, index) => `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`);
  const used = ids.slice(0, 650).map((campaignRunId, index) => ({ campaignRunId, commandId: `n${index}`, at: 'then' }));
  const pk = ledgerKeys.binding('nightly');
  await bench.ledger.write<BindingItem>(undefined, { pk, kind: 'binding', run: 'nightly', used, added: ids });

  await bench.deliver(aCommand({ run: 'nightly', validFor: 'P1D' }));
  const row = await bench.ledger.read<BindingItem>(pk);

  expect(row?.used).toHaveLength(200);
  expect(row?.usedBefore).toHaveLength(451);
});
