/** What a start holds while it waits, and what it gives back. */
import { describe, expect, test } from 'vitest';
import { atTen, blackout, commandOf, hours, nightly, operator, outcomeOf, reservedOf } from './harness/guard-nights.ts';
import { slowToWrite } from './harness/slow-to-write.ts';
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

const minutes = (count: number) => count * 60_000;
const busy = { status: 429, text: 'busy' };

describe('a repeat that was not applied', () => {
  test('keeps the place of its first try in the month: that one may have begun', async () => {
    const bench = createUpdateBench({ ...proving, startsPerMonth: 1, overlap: 'allow' });
    bench.answerWith('lost', busy);
    const start = atTen({ validFor: 'P1D' });
    await bench.deliver(start);
    bench.passMs(surelyLandedMs);

    const repeat = await bench.deliver(start, { receiveCount: 2 });
    const other = await bench.deliver(nightly('other', { validFor: 'P1D' }));

    expect(repeat.kind).toBe('later');
    expect(other).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'BUDGET' }] });
  });

  test('keeps its campaign for as long as its first try, and no longer', async () => {
    const { smoke, night } = {
      smoke: { pool: { kind: 'repeat', campaignRunId: smokeId }, name: 'smoke' },
      night: { name: 'nightly' },
    } as const;
    const ofCampaign = { ...nightlyOfProject, ...proving, project: undefined };
    const bench = createUpdateBench({
      runs: { smoke: { ...ofCampaign, ...smoke }, nightly: { ...ofCampaign, ...night } },
    });
    bench.answerWith('lost', busy);
    const start = atTen({ validFor: 'P1D' });
    await bench.deliver(start);
    bench.passMs(surelyLandedMs);
    await bench.deliver(start, { receiveCount: 2 });

    bench.passMs(hours(8) - surelyLandedMs - minutes(1));
    const early = await bench.deliver(nightly('early', { validFor: 'P1D' }));
    bench.passMs(minutes(2));
    const late = await bench.deliver(nightly('late', { validFor: 'P1D' }));

    expect(early).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'OVERLAP' }] });
    expect(late).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  });
});

test('a refused start over a run leaves that run to a stop by its name', async () => {
  const bench = createUpdateBench();
  await bench.deliver(nightly('first'));
  bench.answerWith({ status: 409, text: 'no' });
  const override = { guards: ['overlap' as const], reason: 'CHG-9' };
  const over = aCommand({
    id: 'second',
    issuedAt: '2026-11-20T22:00:01Z',
    campaignRunId: nightlyIds[0],
    origin: operator,
    override,
  });
  await bench.deliver(over);

  await bench.deliver(nightly('stop', { action: 'stop', issuedAt: '2026-11-20T22:01:00Z' }));

  expect(bench.statuses.get(nightlyIds[0])).toBe('stopped');
});

test('a run that was stopped by its name has nothing to stop by its name', async () => {
  const bench = createUpdateBench();
  await bench.deliver(nightly('start'));
  await bench.deliver(nightly('stop', { action: 'stop', issuedAt: '2026-11-20T22:01:00Z' }));

  const again = await bench.deliver(nightly('again', { action: 'stop', issuedAt: '2026-11-20T22:02:00Z' }));

  expect(again).toMatchObject({ outcomes: [{ kind: 'skipped', reason: 'NOTHING_TO_STOP' }] });
  expect(bench.patches).toHaveLength(2);
});

test('a stop frees the campaign of its start, whatever the configuration says by now', async () => {
  const pool = { kind: 'repeat', campaignRunId: smokeId } as const;
  const smoke = { ...nightlyOfProject, name: 'smoke', campaignId: undefined, project: undefined, pool };
  const bench = createUpdateBench({ runs: { smoke } });
  await bench.deliver(atTen());
  bench.deployRuns({ smoke: { ...smoke, guards: { ...smoke.guards, target: 'another target' } } });

  await bench.deliver(aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:01:00Z' }));

  expect(await outcomeOf(bench, 'stop')).toMatchObject({ kind: 'applied' });
  expect(await reservedOf(bench)).toEqual([]);
});

test('a start whose rows change while it is decided is decided again at once', async () => {
  const bench = createUpdateBench({ overlap: 'allow' });
  const others = () => bench.deliver(nightly('other'));

  const result = await bench.deliver(atTen(), { ledger: slowToWrite(bench, 'guard', others) });

  expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
  expect(bench.transitions).toEqual(['01:running', 'aa:running']);
});

test('a deferred start that waits after its blackout stays in the list of the watcher', async () => {
  const window = blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-20T23:00:00.000Z');
  const bench = createUpdateBench({ blackouts: [window] });
  await bench.deliver(nightly('start'));
  bench.passMs(hours(1));
  bench.closeGateFor(minutes(5));

  const waits = await bench.deliver(nightly('start'));

  expect(waits.kind).toBe('later');
  const { items } = await bench.ledger.listOpen('DEFERRED', {});
  expect(items).toMatchObject([{ id: 'start' }]);
});

test('a start in doubt that a stop may have ended says at its last chance that it may have run', async () => {
  const bench = createUpdateBench({ campaignId });
  bench.answerWith('lost');
  await bench.deliver(atTen({ validFor: 'P7D' }));
  await bench.deliver(aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:00:30Z' }));

  const result = await bench.deliver(atTen({ validFor: 'P7D' }), {
    sentAt: new Date(bench.now().getTime() - hours(25)),
  });

  expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'START_OUTCOME_UNKNOWN' }] });
  expect((await commandOf(bench, 'at-ten'))?.outcome?.detail).toContain(
    'it may have run from 2026-11-20T22:00:00.000Z',
  );
});

/** Two runs of one name: the first one runs, the second one's start was never answered. */
async function twoRuns() {
  const bench = createUpdateBench({ campaignId, overlap: 'allow' });
  bench.answerWith('ok', 'lost');
  await bench.deliver(nightly('first'));
  await bench.deliver(nightly('second', { issuedAt: '2026-11-20T22:00:01Z' }));
  return bench;
}

describe('a stop by name of two runs, of which one has to wait for its start in doubt', () => {
  const stop = nightly('stop', { action: 'stop', issuedAt: '2026-11-20T22:00:02Z' });

  test('stops the other one at once', async () => {
    const bench = await twoRuns();

    const result = await bench.deliver(stop);

    expect(result.kind).toBe('later');
    expect(bench.statuses.get(nightlyIds[0])).toBe('stopped');
  });

  test('comes back for the one that waits less', async () => {
    const bench = await twoRuns();
    bench.answerWith('not-sent');

    const result = await bench.deliver(stop);

    expect(result.kind === 'later' && result.delayMs).toBeLessThan(60_000);
  });
});
