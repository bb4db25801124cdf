/** Starts under a calendar that another team keeps. */
import { expect, test } from 'vitest';
import type { CalendarReading } from '#shared/schedule/calendars.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { atTen, hours, minutes, nightly } from '../harness/guard-nights.ts';
import { createUpdateBench, type UpdateBench } from '../harness/update-bench.ts';

const arn = 'arn:aws:ssm:eu-west-1:123456789012:document/change-freeze';
const ten = '2026-11-20T22:00:00.000Z';
const month = '2026-12-20T22:00:00.000Z';

function benchWith(starts: 'skip' | 'defer' = 'skip', campaigns?: readonly string[]): UpdateBench {
  return createUpdateBench({
    blackouts: [{ name: 'change freeze', starts, campaigns, window: { kind: 'calendar', arn } }],
  });
}

/** What `watch-campaigns` read of the calendar. */
async function noted({ ledger }: UpdateBench, reading: CalendarReading): Promise<void> {
  const pk = ledgerKeys.calendars();
  await ledger.write<CalendarsRow>(await ledger.read(pk), { pk, kind: 'calendars', readings: { [arn]: reading } });
}

test('a calendar that is closed for a month skips a start, and says until when', async () => {
  const bench = benchWith();
  await noted(bench, { readAt: ten, closed: [{ from: ten, to: month }] });
  await bench.deliver(atTen());

  const outcome = await bench.outcomeOf('at-ten');
  expect(outcome).toMatchObject({ kind: 'skipped', reason: 'BLACKOUT' });
  expect(outcome?.detail).toContain(`the blackout change freeze covers 2026-11-20T22:01:00.000Z, until ${month}`);
});

test('a calendar that defers does so until it opens', async () => {
  const bench = benchWith('defer');
  await noted(bench, { readAt: ten, closed: [{ from: ten, to: month }] });
  await bench.deliver(atTen());

  expect((await bench.commandOf('at-ten'))?.deferred).toMatchObject({ until: month, blackout: 'change freeze' });
});

test('an open calendar, and one of another campaign that is closed, hold nothing back', async () => {
  const open = benchWith();
  await noted(open, { readAt: ten, closed: [{ from: '2026-11-20T23:00:00.000Z', to: month }] });
  await open.deliver(atTen());
  const other = benchWith('skip', ['another']);
  await noted(other, { readAt: ten, closed: [{ from: ten }] });
  await other.deliver(atTen());

  for (const bench of [open, other]) expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
});

test('a calendar that was never read counts as closed while the start is valid, and no longer', async () => {
  const bench = benchWith();

  const why = 'the calendar of change freeze counts as closed, unread: it was not read yet';
  expect(await bench.deliver(atTen({ validFor: 'PT30M' }))).toMatchObject({ kind: 'later', why });
  bench.passMs(minutes(31));
  await bench.deliver(atTen({ validFor: 'PT30M' }));

  expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'skipped', reason: 'MISSED_WINDOW' });
  expect(bench.patches).toEqual([]);
});

test('a reading of five minutes ago counts, and an older one does not', async () => {
  const bench = benchWith();
  await noted(bench, { readAt: ten, closed: [], problem: 'AccessDeniedException' });
  bench.passMs(minutes(5));
  await bench.deliver(atTen());
  bench.passMs(1);
  const late = await bench.deliver(nightly('late'));

  expect(await bench.outcomeOf('at-ten')).toMatchObject({ kind: 'applied' });
  const why = expect.stringContaining(`unread since ${ten}: AccessDeniedException`);
  expect(late).toMatchObject({ kind: 'later', why });
});

test('plan judges by the closed times that were read, and names a calendar that was not', async () => {
  const bench = benchWith();
  await noted(bench, { readAt: ten, closed: [{ from: '2026-11-21T00:00:00.000Z', to: month }] });
  const tomorrow = nightly('tomorrow', { issuedAt: '2026-11-21T22:00:00Z' });
  const read = await bench.preview([tomorrow], new Date('2026-11-22T22:00:00Z'));
  bench.passMs(hours(1));
  const unread = await bench.preview([tomorrow], new Date('2026-11-22T22:00:00Z'));

  expect(read.commands).toMatchObject([{ id: 'tomorrow', outcome: 'skipped', reason: 'BLACKOUT' }]);
  expect(unread.unread).toMatchObject([
    { campaign: 'change freeze', why: expect.stringContaining('counts as closed') },
  ]);
});
