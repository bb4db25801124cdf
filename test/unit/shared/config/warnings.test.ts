import { expect, test } from 'vitest';
import type { AutomationDocument, BlackoutDocument, ScheduleDocument } from '#shared/config/automation.ts';
import { changed, resolved, validDocument } from './document.ts';

const warnings = (fields: Partial<AutomationDocument>) =>
  resolved({ ...validDocument(), ...fields }, '2026-11-21').warnings;

const weekly: ScheduleDocument = { name: 'weekly', start: 'nightly', at: 'cron(30 1 ? * SUN *)' };
const yearEnd: BlackoutDocument = { name: 'year end', from: '2026-12-19T00:00', to: '2027-01-04T00:00' };

test('a document without a fault has nothing to be warned of', () => {
  expect(warnings({})).toEqual([]);
});

test('[E3] a local time that the clocks skip or repeat is named with its dates', () => {
  expect(warnings({ schedules: [weekly] })).toEqual([
    'schedules[0].at: the clocks go forward over this time, so it does not fire on 2027-03-28 01:30 (Europe/Dublin).',
    'schedules[0].at: the clocks go back over this time, so it comes twice and fires the first time only on 2027-10-31 01:30 (Europe/Dublin).',
  ]);
});

test('a schedule that a blackout swallows whole is named with the blackout', () => {
  const once = { ...weekly, at: 'at(2026-12-24T22:00:00)' };

  expect(warnings({ schedules: [once], blackouts: [yearEnd] })).toEqual([
    'schedules[0].at: every start ahead falls into a blackout (year end): nothing is ever started.',
  ]);
});

test.each([
  ['that defers', { ...yearEnd, starts: 'defer' as const }],
  ['of another campaign', { ...yearEnd, campaigns: ['other'] }],
])('a blackout %s swallows nothing', (_what, blackout) => {
  const once = { ...weekly, at: 'at(2026-12-24T22:00:00)' };
  const { campaigns } = validDocument();
  const other = { longestRun: '1 hour', runs: {} };

  expect(warnings({ schedules: [once], blackouts: [blackout], campaigns: { ...campaigns, other } })).toEqual([]);
});

test('a run that is still in flight at the next start is named with that start', () => {
  const often: ScheduleDocument = { name: 'often', start: 'nightly', at: 'cron(0 0/6 * * ? *)', timezone: 'UTC' };

  expect(warnings({ schedules: [often] })).toEqual([
    'schedules[0].at: the run of the start before is in flight for PT8H and no stop is scheduled between: the start of 2026-11-22T00:00:00.000Z will be skipped.',
  ]);
});

test('a stop between two starts, or overlap that is allowed, is no reason to warn', () => {
  const often: ScheduleDocument = { name: 'often', start: 'nightly', at: 'cron(0 0/6 * * ? *)', timezone: 'UTC' };
  const stop: ScheduleDocument = { name: 'stop', stop: 'nightly', at: 'cron(0 5/6 * * ? *)', timezone: 'UTC' };
  const { campaigns } = validDocument();
  const chat = { ...campaigns['chat'], runs: campaigns['chat']?.runs ?? {}, overlap: 'allow' as const };

  expect(warnings({ schedules: [often, stop] })).toEqual([]);
  expect(warnings({ schedules: [often], campaigns: { chat } })).toEqual([]);
});

test('a schedule that is disabled is not judged', () => {
  expect(warnings({ schedules: [{ ...weekly, enabled: false }] })).toEqual([]);
});

const halfHourly = { name: 'half-hourly', start: 'smoke', at: 'cron(0/30 * * * ? *)', timezone: 'UTC' };

function stoppedAfter(stopAfter: string): Partial<AutomationDocument> {
  const { campaigns } = validDocument();
  const runs = { ...campaigns['chat']?.runs, smoke: { ...campaigns['chat']?.runs['smoke'], stopAfter } };
  return {
    schedules: [{ ...halfHourly, validFor: '10 minutes' }],
    campaigns: { chat: { ...campaigns['chat'], runs } },
  };
}

test.each(['29 minutes', 'PT29M30S', '30 minutes', 'PT30M30S', '31 minutes'])(
  'a stopAfter of %s in a period of 30 minutes is back to back',
  (stopAfter) => {
    expect(warnings(stoppedAfter(stopAfter))).toEqual([
      expect.stringMatching(
        /^schedules\[0\]\.at: stopAfter .* the planned stop goes out first .*back to back is no overlap/,
      ),
    ]);
  },
);

test.each(['29 minutes', '30 minutes'])(
  'a stop %s after a delayed start is back to back with the next one',
  (after) => {
    const { schedules = [], ...others } = stoppedAfter(after);
    const delayed = schedules.map((schedule) => ({ ...schedule, startDelay: '15 minutes' }));

    expect(warnings({ ...others, schedules: delayed })).toEqual([
      expect.stringContaining('back to back is no overlap'),
    ]);
  },
);

// A start that is late by its whole validity would have its planned stop before it begins.
test.each([
  ['29 minutes', 1],
  ['28 minutes', 0],
])('a run of 30 minutes whose start is valid for %s gets %i warnings', (validFor, count) => {
  const daily: ScheduleDocument = { name: 'daily', start: 'smoke', at: 'cron(0 6 * * ? *)', validFor };

  const found = warnings({ schedules: [daily] });

  expect(found).toHaveLength(count);
  for (const line of found) expect(line).toMatch(/^schedules\[0\]\.validFor: .* late start .* shorter validFor/);
});

test.each([
  ['1-5', 'SUN-THU'],
  ['2,4', 'MON,WED'],
  ['2#1', 'MON#1'],
  ['6L', 'FRIL'],
])('weekdays in numbers (%s) are warned of with the names that AWS reads', (field, named) => {
  const at = `cron(0 22 ? * ${field} *)`;
  const message = `.at: the day-of-week field ${field} means ${named}: AWS counts from Sunday as 1; write the names, such as MON-FRI.`;

  const schedules = [{ name: 'numbers', start: 'smoke', at, validFor: '5 minutes' }];
  const blackouts: BlackoutDocument[] = [{ name: 'numbers', at, lasts: '1 hour', starts: 'defer' }];
  expect(warnings({ schedules, blackouts })).toEqual([`schedules[0]${message}`, `blackouts[0]${message}`]);
});

const monthly = (days: string) => ({
  schedules: [{ name: 'monthly', start: 'smoke', at: `cron(0 22 ${days} *)`, validFor: '5 minutes' }],
});

test.each([
  ['31 * ?', 'day 31 does not come in FEB, APR, JUN, SEP, NOV'],
  ['1,30 * ?', 'day 30 does not come in FEB,'],
  ['29 FEB ?', 'day 29 does not come in FEB (but in leap years)'],
  ['31W APR-MAY ?', 'day 31 does not come in APR,'],
])('a day that some months lack (%s) is warned of', (days, says) => {
  expect(warnings(monthly(days))).toEqual([expect.stringContaining(says)]);
});

const warningsOf = (document: unknown) => resolved(document).warnings;

const withWord = changed('gateway.status.start', 'running');

test('a word for the start is said to be for few gateways, until its repeats are judged', () => {
  expect(warningsOf(withWord)).toEqual([
    expect.stringMatching(/^gateway\.status\.start: .*leave it out; else say in gateway\.startsRepeatSafely/),
  ]);
  expect(warningsOf(changed('gateway.startsRepeatSafely', false, withWord))).toEqual([]);
  expect(warningsOf(changed('gateway.startsRepeatSafely', true, withWord))).toEqual([]);
});

test.each([true, false])('startsRepeatSafely: %s says nothing without a word for the start', (written) => {
  expect(warningsOf(changed('gateway.startsRepeatSafely', written))).toEqual([
    expect.stringMatching(/^gateway\.startsRepeatSafely: .*none is set: leave it out/),
  ]);
});

test.each([
  ['29 seconds', 1],
  ['30 seconds', 0],
])('a startLead of %s gets %i warnings', (startLead, count) => {
  const found = warningsOf(changed('gateway.startLead', startLead));

  expect(found).toHaveLength(count);
  for (const line of found) expect(line).toMatch(/^gateway\.startLead: is shorter than 30 seconds/);
});

test.each([[], undefined])('a run without an id (%j) is named with the command that binds some', (written) => {
  expect(warningsOf(changed('campaigns.chat.runs.smoke.campaignRunIds', written))).toEqual([
    expect.stringMatching(/^campaigns\.chat\.runs\.smoke\.campaignRunIds: has no id: .*autopilot bind smoke ID/),
  ]);
});
