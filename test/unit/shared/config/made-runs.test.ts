/** Runs that Autopilot makes: what is refused, what is warned of, and how many are kept ready. */
import { expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed, ids, resolved, validDocument } from './document.ts';

const provider = '019ba000-0000-7000-8000-00000000d001';
const withPool = (more: object = {}) =>
  changed('campaigns.chat.runs.nightly', { providerIds: [provider.toUpperCase()], stopAfter: '8 hours', ...more });
const making = (document: unknown) => changed('gateway.makesRuns', true, document);

function problemsOf(document: unknown): readonly string[] {
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date('2026-11-20T12:00:00Z') });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

test('a run with providers keeps ready what its schedules start in 14 nights, and two more', () => {
  const { runs } = resolved(making(withPool()));

  const pool = { run: 'nightly', campaignId: ids.campaign, providerIds: [provider], keepReady: 12 };
  expect(runs['nightly']?.pool).toEqual(pool);
  expect(runs['smoke']?.pool).toBeUndefined();
});

test.each([
  ['cron(0 22 ? * * *)', 16],
  ['rate(1 hour)', 50],
  ['cron(0 22 1 * ? *)', 5],
  ['cron(0 22 1-9 12 ? *)', 11],
  ['at(2026-12-01T22:00:00)', 5],
])('%s keeps %i ready', (at, ready) => {
  const startDate = at.startsWith('rate') ? '2026-12-01T00:00:00Z' : undefined;
  const schedules = [{ name: 'some', start: 'nightly', at, startDate }];

  expect(resolved(changed('schedules', schedules, making(withPool()))).runs['nightly']?.pool?.keepReady).toBe(ready);
});

test('a gateway that makes runs wants ids or providers of each run, and the campaign that is run', () => {
  const bare = changed('campaigns.chat.runs.nightly', { stopAfter: '8 hours' });
  const nameless = changed('campaigns.chat.campaignId', undefined, making(withPool()));

  expect(problemsOf(making(bare))).toEqual([
    expect.stringMatching(/^campaigns\.chat\.runs\.nightly: needs providerIds/),
  ]);
  expect(problemsOf(nameless)).toEqual([expect.stringContaining('nightly.providerIds: needs the campaignId')]);
  expect(problemsOf(making(validDocument()))).toEqual([]);
});

test('without the setting there is no pool, and a warning says so', () => {
  const { runs, warned } = resolved(withPool({ campaignRunIds: [ids.first] }));

  expect(runs['nightly']?.pool).toBeUndefined();
  expect(warned).toContain('campaigns.chat.runs.nightly.providerIds');
});
