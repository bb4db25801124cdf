/** Starts at a gateway whose runs can be read. */
import { describe, expect, test } from 'vitest';
import type { ConfirmationRow } from '#shared/ledger/rows/campaign-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { TargetRow } from '#shared/ledger/rows/target-row.ts';
import { atTen, minutes } from './harness/guard-nights.ts';
import { aCommand, createUpdateBench, proving, smokeId, smokeIds, type UpdateBench } from './harness/update-bench.ts';

const readsRuns = true;

/** Delivers a start at ten whose first request has no answer, and once more two minutes later. */
async function inDoubt(
  bench: UpdateBench,
  answer: 'lost' | 'applied-then-lost',
  meanwhile?: () => Promise<void> | void,
) {
  bench.answerWith(answer);
  await bench.deliver(atTen());
  bench.passMs(minutes(2));
  await meanwhile?.();
  await bench.deliver(atTen(), { receiveCount: 2 });
}

describe('a start without an answer', () => {
  test('is applied if its run is going, whatever its campaign shows, and is not sent again', async () => {
    const bench = createUpdateBench({ readsRuns, ...proving, overlap: 'allow' });
    await inDoubt(bench, 'applied-then-lost', () => bench.startByHand());

    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'applied',
      detail: expect.stringContaining('the gateway shows it as in_progress'),
    });
    expect(bench.patches).toHaveLength(1);
    expect(await bench.inFlight()).toMatchObject([{ state: 'running' }]);
  });

  test('is sent again if the run waits for another startAt', async () => {
    const bench = createUpdateBench({ readsRuns });
    await inDoubt(bench, 'lost');

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
    expect(bench.patches).toHaveLength(2);
  });

  test('is parked if the run was cancelled at the gateway, and its id stays used', async () => {
    const bench = createUpdateBench({ readsRuns });
    await inDoubt(bench, 'lost', () => bench.model.endByHand(smokeId, bench.now().getTime()));

    expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'parked', reason: 'CONFLICT' });
    expect(await bench.inFlight()).toEqual([]);
    await bench.deliver(atTen({ id: 'next', issuedAt: bench.now().toISOString() }));
    expect(await bench.commandOf('next')).toMatchObject({ campaignRunId: smokeIds[1] });
  });

  test.each([
    { status: 500, text: 'broken' },
    { status: 404, text: 'no such path' },
    { status: 200, text: 'another shape' },
    'not-sent',
  ] as const)('is decided by its campaign if the run cannot be read: %o', async (answer) => {
    const bench = createUpdateBench({ readsRuns, ...proving, runAnswers: [answer] });
    await inDoubt(bench, 'applied-then-lost');

    expect(await bench.outcomeOf('at-ten')).toMatchObject({
      kind: 'applied',
      detail: expect.stringContaining('its campaign shows it'),
    });
    expect(bench.told.filter((line) => line === `failed ${smokeId}`)).toHaveLength(1); // of the PATCH
  });

  test('reads no run if the gateway has said within the hour that it cannot', async () => {
    const bench = createUpdateBench({ readsRuns });
    const pk = ledgerKeys.runReadings();
    const missingAt = bench.now().toISOString();
    await bench.ledger.write(undefined, { pk, kind: 'run-readings', missingAt, status: 405 });

    await inDoubt(bench, 'lost');

    expect(bench.readRuns).toEqual([]);
    expect(bench.patches).toHaveLength(2);
  });
});

const later = (bench: UpdateBench) => bench.deliver(atTen({ id: 'later', issuedAt: bench.now().toISOString() }));

describe('a start while another run is in flight', () => {
  const brief = { starts: 'startAt', runsForMs: minutes(5) } as const;

  test.each(['skip', 'stop-previous'] as const)('goes out if that run has ended, with overlap %s', async (overlap) => {
    const bench = createUpdateBench({ readsRuns, overlap, kind: brief });
    await bench.deliver(atTen());
    bench.passMs(minutes(10));

    await later(bench);

    expect(await bench.outcomeOf('later')).toMatchObject({ kind: 'applied' });
    expect(bench.sent).toEqual([]);
    expect(bench.readRuns).toEqual([smokeId]);
  });

  test.each([
    [30_000, 'in_progress', 0, 'skipped'],
    [minutes(2), 'in_progress', 1, 'applied'],
    [minutes(2), 'complete', 0, 'applied'],
  ] as const)('goes by what the watcher read %i ms ago, %s', async (agoMs, status, reads, kind) => {
    const bench = createUpdateBench({ readsRuns, kind: brief });
    await bench.deliver(atTen());
    bench.passMs(minutes(10));
    const at = new Date(bench.now().getTime() - agoMs).toISOString();
    await bench.ledger.write<ConfirmationRow>(undefined, {
      pk: ledgerKeys.confirmation(smokeId),
      kind: 'confirmation',
      campaignRunId: smokeId,
      startId: 'at-ten',
      run: 'smoke',
      shown: { status, at },
    });

    await later(bench);

    expect(await bench.outcomeOf('later')).toMatchObject({ kind });
    expect(bench.readRuns).toHaveLength(reads);
  });

  test('makes no call more if nothing is in its way, or if the stage observes', async () => {
    const bench = createUpdateBench({ readsRuns });
    await bench.deliver(atTen());
    expect(bench.readRuns).toEqual([]);

    const observing = createUpdateBench({ readsRuns, mode: 'observe' });
    await observing.deliver(atTen());
    observing.passMs(minutes(2));
    await observing.deliver(atTen({ id: 'later', issuedAt: observing.now().toISOString() }));

    expect(observing.readRuns).toEqual([]);
  });
});

test.each([
  ['that runs', {}, ['at-ten stopped 2026-11-20T22:10:00.000Z']],
  ['before its startAt', { startDelay: 'PT20M' }, []],
])('a stop of a run %s leaves it to be read once more, if it had begun', async (_, fields, stopped) => {
  const bench = createUpdateBench({ readsRuns });
  await bench.deliver(atTen(fields));
  bench.passMs(minutes(10));
  await bench.deliver(aCommand({ id: 'stop-1', action: 'stop', run: 'smoke', issuedAt: bench.now().toISOString() }));

  const row = await bench.table.read<TargetRow>(ledgerKeys.target('chat-bot'));

  expect(row?.runs).toEqual([]);
  expect((row?.stopped ?? []).map(({ startId, stoppedAt }) => `${startId} stopped ${stoppedAt}`)).toEqual(stopped);
});
