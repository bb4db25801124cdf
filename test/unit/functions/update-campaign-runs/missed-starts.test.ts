/** Starts that came too late, of a schedule with `missed: 'once'`. */
import { expect, test } from 'vitest';
import type { ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { hours, minutes, nightly } from './harness/guard-nights.ts';
import { createUpdateBench, type UpdateBench } from './harness/update-bench.ts';

const hourly: ResolvedSchedule = {
  name: 'weeknights',
  action: 'start',
  run: 'nightly',
  enabled: true,
  expression: 'cron(0 * * * ? *)',
  timezone: 'UTC',
  missedWithin: 'PT6H',
};
const daily = { ...hourly, expression: 'cron(0 22 * * ? *)' };

const idAt = (time: string) => `weeknights@2026-11-${time}:00:00Z`;
/** An occurrence of the schedule: `20T22` is ten in the evening of the twentieth. */
const due = (time: string) => nightly(idAt(time), { issuedAt: `2026-11-${time}:00:00Z`, validFor: 'PT10M' });

/** A bench some time after ten, with nothing delivered since. */
function benchAfter(ms: number, schedule: ResolvedSchedule = hourly): UpdateBench {
  const bench = createUpdateBench({ schedules: [schedule] });
  bench.passMs(ms);
  return bench;
}

test('after an outage one start is sent, and those before it are superseded by it', async () => {
  const bench = benchAfter(hours(3) + minutes(30));
  for (const time of ['20T22', '20T23', '21T00']) await bench.deliver(due(time));
  await bench.deliver(due('21T01'), { receiveCount: 2 });

  const replaced = { kind: 'superseded', detail: 'missed; the one of 2026-11-21T01:00:00Z stands for it' };
  for (const time of ['20T22', '20T23', '21T00']) expect(await bench.outcomeOf(idAt(time))).toMatchObject(replaced);
  expect((await bench.outcomeOf(idAt('21T01')))?.detail).toBe(
    'in place of 3 missed: 2026-11-20T22:00:00Z, 2026-11-20T23:00:00Z, 2026-11-21T00:00:00Z',
  );
  expect(bench.patches).toHaveLength(1);
});

test('the run of a missed start is due as it is sent, and gets its whole length', async () => {
  const bench = benchAfter(hours(5), daily);
  await bench.deliver(due('20T22'), { receiveCount: 2 });

  expect(await bench.inFlight()).toMatchObject([
    { due: '2026-11-21T03:00:00.000Z', endsAt: '2026-11-21T11:00:00.000Z' },
  ]);
});

test('the newest that comes first waits for the others, and names them', async () => {
  const bench = benchAfter(hours(1) + minutes(30));
  const first = await bench.deliver(due('20T23'));
  await bench.deliver(due('20T22'));
  await bench.deliver(due('20T23'), { receiveCount: 2 });

  expect(first.kind).toBe('later');
  expect((await bench.outcomeOf(idAt('20T23')))?.detail).toContain('in place of 1 missed: 2026-11-20T22:00:00Z');
});

test('one that comes in time stands for those before it too', async () => {
  const bench = benchAfter(hours(1) + minutes(5));
  await bench.deliver(due('20T22'));
  await bench.deliver(due('20T23'));

  expect(await bench.outcomeOf(idAt('20T22'))).toMatchObject({ kind: 'superseded' });
  expect(await bench.outcomeOf(idAt('20T23'))).toMatchObject({ kind: 'applied' });
  expect((await bench.outcomeOf(idAt('20T23')))?.detail).toContain(`in place of 1 missed`);
});

test('a start that comes later than missedWithin is skipped, as one without the setting', async () => {
  const late = benchAfter(hours(6) + minutes(1), daily);
  await late.deliver(due('20T22'), { receiveCount: 2 });
  const plain = createUpdateBench();
  plain.passMs(hours(1));
  await plain.deliver(due('20T22'));

  for (const bench of [late, plain]) {
    expect(await bench.outcomeOf(idAt('20T22'))).toMatchObject({ kind: 'skipped', reason: 'MISSED_WINDOW' });
  }
});

test('what a person fires, or another schedule asks for, keeps its own validity', async () => {
  const bench = benchAfter(hours(1), daily);
  const origin = { kind: 'schedule', name: 'weekends' } as const;
  await bench.deliver({ ...due('20T22'), id: 'fired-by-hand' });
  await bench.deliver({ ...due('20T22'), id: 'weekends@2026-11-20T22:00:00Z', origin });

  expect(await bench.outcomeOf('fired-by-hand')).toMatchObject({ reason: 'MISSED_WINDOW' });
  expect(await bench.outcomeOf('weekends@2026-11-20T22:00:00Z')).toMatchObject({ reason: 'MISSED_WINDOW' });
});
