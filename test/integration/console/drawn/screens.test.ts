import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { now, nowText } from '../page/facts.ts';
import { csvOf } from '#console/page/history/history-csv.ts';
import { entry, hiddenIn, hostile, hostileAsShown, stands } from '../page/run-facts.ts';
import { openDrawnPage, type DrawnPage } from './drawn-page.ts';

let page: DrawnPage;
beforeAll(async () => {
  page = await openDrawnPage();
});
afterEach(() => page.forget());
afterAll(() => page.close());

/** Each screen by its address, with texts that stand there once its answer has come. */
const screens: readonly (readonly [name: string, address: string, ...texts: readonly string[]])[] = [
  ['Stages', '#/', 'the SSO session has ended', 'gateway paused', 'and 2 more', 'aws sso login'],
  ['Causes', '#/prod/now', 'Needs attention3', 'started nothing 2 times · see freeze'],
  [
    'Now',
    '#/prod/now',
    '◆ unanswered',
    'next try in 2 min',
    '▲ failedscore 41',
    '5 of 9 left',
    'FROZEN by ann',
    'Missing: plan',
  ],
  ['Parked', '#/prod/parked', 'Correct the rows', 'CHECK_FAILED3', 'datasets/pii/names-1.csv'],
  ['One item', '#/prod/parked/p1', 'Every version of this file', 'it had no effect', 'Impact. The dataset is missing.'],
  ['Calendar', '#/prod/calendar', 'The same as a list', 'Mon 30 Nov 00:00', 'starts are skipped', 'repeats'],
  [
    'Run',
    '#/prod/run/night2',
    '▲ failed after 7 h 30 min: provider acme',
    '7 h 30 min later',
    'what follows is to come',
    'cannot be compared',
    'overridden',
  ],
  ['Uploads', '#/prod/uploads', 'datasets/good.csv', 'dataset ds-1', 'row 3:'],
  ['Versions', `#/prod/uploads/${encodeURIComponent(`datasets/${hostile}.csv`)}`, 'v1', 'CHECK_FAILED'],
  ['History', '#/prod/history', 'weeknights schedule', '○ stopped', '◆ skippedFROZEN', 'reason: <img'],
  [
    'Doctor',
    '#/prod/doctor',
    'it ends in 3 days',
    '0 checks passed',
    'autopilot token set --stage prod@eu-west-1:work',
  ],
  ['Settings', '#/prod/settings', 'starts nightly at 22:00', 'cron(0 22 ? * * *)'],
];

test.each(screens)('%s says what the stage answered, and text of others as text', async (_name, address, ...texts) => {
  const said = await page.open(address, texts[0] ?? '');

  for (const text of texts) expect(said).toContain(text);
  expect(said).toContain(hostileAsShown);
  expect(hiddenIn(said)).toEqual([]);
});

// It stood red among the uploads though a person had dismissed it.
test('an upload about which a person has decided is no longer shown as parked', async () => {
  const resolutions = [{ decision: 'dismiss', by: 'grace', reason: 'CHG-9', at: nowText }];
  const upload = { key: 'datasets/x.csv', versionId: 'v1', state: 'parked', isObserved: false, resolutions };
  page.answers.set('uploads', { asOf: nowText, uploads: [upload] });

  const said = await page.open('#/prod/uploads', 'dismiss by grace: CHG-9');

  expect(said).toContain('○ decided');
  expect(said).not.toContain('▲ parked');
});

const none = { asOf: nowText, problems: [], timezone: 'Europe/Dublin', now: nowText };
const empty: readonly (readonly [name: string, answer: object, text: string])[] = [
  ['stages', { stages: [] }, 'This console has no stage.'],
  ['parked', { groups: [], parked: [], findings: [] }, 'Nothing needs a decision.'],
  ['calendar', { past: [], planned: [], blackouts: [], bands: [], clockChanges: [], unread: [] }, 'no run ended'],
  ['uploads', { uploads: [] }, 'There is no upload here.'],
  ['uploads/gone.csv', { versions: [], key: 'gone.csv' }, 'No version of this key is known.'],
  ['history', { history: [], isMore: false }, 'Nothing is found.'],
  ['doctor', { examined: [] }, '0 checks passed'],
  ['settings', { config: {}, table: [] }, 'Time zone of the stage: Europe/Dublin.'],
];

test.each(empty)('%s says that there is nothing', async (screen, answer, text) => {
  page.answers.set(screen, { ...none, ...answer });

  expect(await page.open(screen === 'stages' ? '#/' : `#/prod/${screen}`, text)).toContain(text);
});

test('Now of a stage on which nothing was done yet says so of each part', async () => {
  await page.open('#/prod/now', 'Recent');
  const nothing = { needs: [], runs: [], inFlight: [], pending: [], parked: [], recent: [], schedules: [], queues: [] };

  page.tell({ ...nothing, ids: [], budgets: [], switches: [], problems: [] });
  const said = await page.says('Every queue is empty.');

  expect(said).toContain('Nothing needs attention.');
  expect(said).toContain('Nothing runs, and nothing is about to.');
  expect(said).toContain('No schedule starts or stops anything.');
  expect(said).toContain('Nothing has ended yet.');
  expect(said).toContain('No run is configured, and no campaign has a budget.');
  page.tell({ ids: undefined, budgets: undefined });
  await page.says('Run ids and budgets are not known');
});

test('Now says how each run stands, and what else is known of it', async () => {
  await page.open('#/prod/now', 'Recent');
  const beside = { kind: 'run', subject: 'nightly', since: '2026-12-05T02:00:00.000Z' };

  page.tell({
    headline: { says: 'no stop can be sent: the gateway connection is down', tone: 'bad' },
    schedules: now.schedules.map((each) => ({ ...each, skipped: 'FROZEN' })),
    clock: { aheadMs: 60_000 },
    runs: [
      stands('a', {
        says: 'runs since 00:00, stops 10:00',
        stopsAt: '2026-12-05T10:00:00.000Z',
        campaignRunId: '0199',
      }),
      stands('b', { state: 'deferred', says: 'waits until 22:00 for the end of the blackout year-end' }),
      stands('c', { state: 'complete', says: 'complete after 43 min', endedAt: '2026-12-05T06:00:00.000Z', score: 87 }),
      stands('d', { state: 'not-stopped', tone: 'bad', says: 'its stop was refused (403): it may still run' }),
    ],
    inFlight: [
      {
        ...beside,
        startCommandId: 'a',
        endsAt: '2026-12-05T09:10:00.000Z',
        endsBy: { kind: 'schedule', name: 'by-morning' },
        expectedEnd: '2026-12-05T09:00:00.000Z',
      },
      { ...beside, startCommandId: 'd', inFlightUntil: '2026-12-06T02:00:00.000Z' },
    ],
    pending: [],
    parked: [],
    recent: [
      { ...now.recent[0], kind: 'parked', isDecided: true, detail: 'its check failed at 2026-12-05T06:00:00.000Z' },
    ],
  });
  const said = await page.says('The schedule by-morning stops it at Sat 5 Dec 09:10');

  expect(said).toContain('▲ no stop can be sent: the gateway connection is down');
  expect(said).toContain('FROZEN: will be skipped');
  expect(said).toContain('Runs3');
  expect(said).toContain('● running');
  expect(said).toContain('runs since 00:00, stops 10:00');
  expect(said).toContain('● completescore 87');
  expect(said).toContain('▲ not stopped');
  expect(said).toContain('It counts as in flight until Sun 6 Dec 02:00, in 17 h 50 min.');
  expect(said).toContain('It usually ends at Sat 5 Dec 09:00');
  expect(said).toContain('autopilot send stop 0199 --reason TEXT');
  // It was dismissed since: nothing of it is red.
  expect(said).toContain('○ decided');
  expect(said).toContain('its check failed at Sat 5 Dec 06:00');
  expect(said).toContain('The clock of this local stage was moved');
});

test('a screen whose answer is refused says why, with the command that helps, and reads again', async () => {
  page.answers.set('doctor', {
    problem: { code: 'DENIED', message: 'the session has ended', command: ['aws', 'sso', 'login'] },
  });
  const said = await page.open('#/prod/doctor', 'the session has ended');

  page.answers.clear();
  await page.press('Try again');

  expect(said).toContain('aws sso login');
  expect(await page.says('it ends in 3 days')).not.toContain('the session has ended');
});

test('the evidence of a run can be printed, saved and copied', async () => {
  await page.open('#/prod/run/night2', 'Save as HTML');

  for (const name of ['Print', 'Save as Markdown', 'Save as HTML', 'Copy command']) await page.press(name);

  expect(page.done).toEqual(['printed', 'saved', 'saved', expect.stringContaining('autopilot evidence night2')]);
});

test('the history is chosen by state, run and person in the address, and saved as files', async () => {
  await page.open('#/prod/history', 'weeknights schedule');

  await page.type('State', 'failed');
  await page.type('Run', 'weekly');
  expect(page.address()).toBe('#/prod/history?state=failed&run=weekly');
  await page.says('Save as CSV');
  for (const name of ['Save as CSV', 'Save as JSON']) await page.press(name);

  await expect.poll(() => page.done.filter((one) => one === 'saved').length).toBeGreaterThanOrEqual(2);
});

test('a cell of the history that a program would take for a formula is text', () => {
  const begins = ['=1+1', '+1', '-1', '@SUM(A1)', 'a "word"'];

  const lines = csvOf(begins.map((name) => entry(name, { name }))).split('\r\n');

  expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    '"a ""word"""',
  ]);
});

test('the keys of the page are listed by ?, and / leads to the search', async () => {
  await page.open('#/prod/now', 'Recent');

  await page.key('?');
  await page.says('search the history');
  await page.press('Close');
  await page.key('/');

  await expect.poll(() => page.focused()?.getAttribute('type')).toBe('search');
  expect(page.address()).toBe('#/prod/history');
});

test('of a stage that is down, what was said before does not stand large', async () => {
  await page.open('#/prod/now', 'Recent');
  expect(page.find('.verdict')).toBeDefined();

  page.server.deny('the stage does not answer');
  await page.says('What follows was so');

  expect(() => page.find('.verdict')).toThrow('no .verdict');
});
