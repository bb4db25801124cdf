import { expect, test } from 'vitest';
import type { CalendarState } from '#shared/aws/alarms-and-calendars.ts';
import { readCalendars } from '#functions/watch-campaigns/read-calendars.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';

const arn = 'arn:aws:ssm:eu-west-1:123456789012:document/change-freeze';
const noon = '2026-11-20T12:00:00.000Z';

/** A calendar that is closed in the given times, and a watcher that reads it. */
function benchWith(closed: readonly (readonly [string, string?])[]) {
  const ledger = createMemoryLedger();
  const asked: string[] = [];
  const said: string[] = [];
  const line = (_event: string, sentence: string): void => void said.push(sentence);
  let now = new Date(noon);
  let failure: Error | undefined;

  async function stateAt(_arn: string, at: Date): Promise<CalendarState> {
    asked.push(at.toISOString());
    if (failure !== undefined) throw failure;
    const isOpen = !closed.some(([from, to]) => at >= new Date(from) && (to === undefined || at < new Date(to)));
    const changes = closed.flat().filter((time) => time !== undefined && new Date(time) > at);
    const [next] = changes.toSorted((a = '', b = '') => a.localeCompare(b));
    return { isOpen, changesAt: next === undefined ? undefined : new Date(next) };
  }

  return {
    asked,
    said,
    fail: (message: string) => void (failure = new Error(message)),
    passTo: (instant: string) => void (now = new Date(instant)),
    read: async (calendars: readonly string[] = [arn]) =>
      readCalendars({
        ledger,
        calendars: { stateAt },
        config: { calendars },
        now: () => now,
        reports: { log: { debug: line, info: line, warn: line, error: line }, count: () => {}, level: () => {} },
      }),
    row: async () => (await ledger.read<CalendarsRow>(ledgerKeys.calendars()))?.readings[arn],
  };
}

test('a calendar is read now and as far ahead as two closed times', async () => {
  const bench = benchWith([
    ['2026-11-20T18:00:00.000Z', '2026-11-21T06:00:00.000Z'],
    ['2026-12-19T00:00:00.000Z', '2027-01-19T00:00:00.000Z'],
    ['2027-12-19T00:00:00.000Z'],
  ]);
  await bench.read();

  expect(await bench.row()).toEqual({
    readAt: noon,
    closed: [
      { from: '2026-11-20T18:00:00.000Z', to: '2026-11-21T06:00:00.000Z' },
      { from: '2026-12-19T00:00:00.000Z', to: '2027-01-19T00:00:00.000Z' },
    ],
  });
  expect(bench.asked).toHaveLength(4);
});

test('a calendar that is closed with no end in sight has none', async () => {
  const bench = benchWith([['2026-11-01T00:00:00.000Z']]);
  await bench.read();

  expect((await bench.row())?.closed).toEqual([{ from: noon }]);
});

test('a calendar that cannot be read keeps its last reading, and says why', async () => {
  const bench = benchWith([]);
  await bench.read();
  bench.fail('GetCalendarState answered 400 AccessDeniedException');
  bench.passTo('2026-11-20T12:01:00.000Z');
  await bench.read();

  expect(await bench.row()).toEqual({
    readAt: noon,
    closed: [],
    problem: 'GetCalendarState answered 400 AccessDeniedException',
  });
  expect(bench.said).toEqual([
    `the calendar ${arn} could not be read: GetCalendarState answered 400 AccessDeniedException`,
  ]);
});

test('a stage without calendars reads none', async () => {
  const bench = benchWith([]);
  await bench.read([]);

  expect(bench.asked).toEqual([]);
  expect(await bench.row()).toBeUndefined();
});
