import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSession, session } from '#console/page/connection/session.ts';
import { now, nowText, reported } from '../page/facts.ts';
import { openDrawnPage, type DrawnPage } from './drawn-page.ts';

const timesAsked = (page: DrawnPage, end: string) => page.server.asked.filter((path) => path.endsWith(end)).length;

/** A page of a test's own. */
async function openPage(fragment?: string): Promise<DrawnPage> {
  const page = await openDrawnPage(fragment);
  onTestFinished(async () => page.close());
  return page;
}

/** A page that stays open: what it shows goes on with the stage, and what a person chose is in its address. */
describe('an open page', () => {
  let page: DrawnPage;
  beforeAll(async () => {
    page = await openDrawnPage();
  });
  afterEach(() => page.forget());
  afterAll(() => page.close());

  // Parked showed 3 rows beside a 4 in the navigation, and a sent file stood as not seen yet.
  test.each([
    ['parked', 'Correct the rows'],
    ['parked/p1', 'Every version of this file'],
    ['calendar', 'The same as a list'],
    ['uploads', 'datasets/good.csv'],
    ['history', 'weeknights schedule'],
  ])('%s is read again once something happens at the stage, and only then', async (screen, text) => {
    await page.open(`#/prod/${screen}`, text);
    await page.says('waiting');
    const before = timesAsked(page, `prod/${screen}`);

    page.tell({ asOf: nowText });
    page.tell({ parked: now.parked.slice(1) });
    await page.says('2 waiting');
    await expect.poll(() => timesAsked(page, `prod/${screen}`)).toBe(before + 1);
  });

  test('History stays as it is while a person reads what they searched for, and the search is in the address', async () => {
    await page.open('#/prod/history', 'weeknights schedule');
    await page.type('Search', 'FROZEN');
    await page.press('Search');
    await expect.poll(page.text).not.toContain('Thu 3 Dec');
    await page.says('skippedFROZEN');
    const before = timesAsked(page, 'prod/history');

    page.tell({ parked: [] });
    await expect.poll(page.text).not.toContain('waiting');

    expect(timesAsked(page, 'prod/history')).toBe(before);
    expect(page.address()).toBe('#/prod/history?search=FROZEN');
    expect(page.text()).toContain('skippedFROZEN');
  });

  // The field and the page kept what was searched for before.
  test('a link shows what it says, also while its screen is open', async () => {
    await page.open('#/prod/history', 'Thu 3 Dec');
    await page.open('#/prod/history?search=FROZEN', 'autopilot history --search FROZEN');
    await expect.poll(page.text).not.toContain('Thu 3 Dec');
    await expect.poll(() => page.find('input[type="search"]')).toHaveProperty('value', 'FROZEN');

    await page.open('#/prod/parked', 'names-1.csv');
    await page.open('#/prod/parked?reason=OTHER', 'Parked');
    await expect.poll(page.text).not.toContain('names-1.csv');
  });

  test('a parked file leads to its versions, and shows its own commands; its runbook has none', async () => {
    await page.open('#/prod/parked', 'names-1.csv');
    await page.press('datasets/pii/names-1.csv');
    await page.says('npx --prefix /srv/stage --no -- autopilot parked resolve p1 --dismiss');
    expect(page.find('details').textContent).not.toContain('autopilot');
    await page.press('Every version of this file');

    expect(page.address()).toBe('#/prod/uploads/datasets%2Fpii%2Fnames-1.csv');
  });

  test('a search that finds nothing in a page goes on with the rows before, and Newest leads back', async () => {
    const before = timesAsked(page, 'prod/history');
    page.answers.set('/history', {
      asOf: nowText,
      history: [],
      get nextBefore() {
        return timesAsked(page, 'prod/history') === before + 1 ? '2026-12-01T00:00:00.000Z' : undefined;
      },
    });

    await page.open('#/prod/history?search=x', 'Nothing is found.');
    expect(page.text()).toContain('Newest');
    await page.press('Newest');

    await expect.poll(() => timesAsked(page, 'prod/history')).toBe(before + 3);
  });

  test('the calendar is led by keys: from mark to mark, and Enter opens a start or its planned row', async () => {
    await page.open('#/prod/calendar', 'The same as a list');
    const mark = () => page.find('a[tabindex="0"]');
    const first = mark().getAttribute('aria-label');

    await page.key('ArrowDown', mark());
    await page.says(mark().getAttribute('aria-label') ?? '');
    expect(mark().getAttribute('aria-label')).not.toBe(first);
    await page.click(mark());
    await expect.poll(() => page.focused()?.getAttribute('class')).toContain('wanted');
    await page.key('ArrowUp', mark());
    await page.key('ArrowUp', mark());
    await page.key('ArrowUp', mark());
    await page.click(mark());

    expect(page.address()).toContain('#/prod/run/night');
  });

  test('the night and the run of the calendar are in the address', async () => {
    await page.open('#/prod/calendar', 'The same as a list');

    await page.press('14 nights on →');
    await page.says('Tonight');
    await page.type('Run', 'nightly');
    expect(page.address()).toBe('#/prod/calendar?night=2026-12-18&run=nightly');
    await page.type('Night', '2026-11-20');
    expect(page.address()).toBe('#/prod/calendar?night=2026-11-20&run=nightly');
    await page.press('← 14 nights back');
    expect(page.address()).toBe('#/prod/calendar?night=2026-11-06&run=nightly');
    await page.press('Tonight');
    expect(page.address()).toBe('#/prod/calendar?run=nightly');
  });

  test('a calendar that does not hold all says so', async () => {
    page.answers.set('/calendar', { ...reported.calendar, pastCutAt: nowText, cutAt: nowText });
    await page.open('#/prod/doctor', 'Examine again');
    const said = await page.open('#/prod/calendar', 'there are more commands than one answer holds');

    expect(said).toContain('there are more occurrences than one question takes');
  });
});

describe('a page that cannot know', () => {
  test.each([
    ['#token=another', 'this address was used'],
    ['', 'This address has no token.'],
  ])('says so if its address is "%s"', async (fragment, because) => {
    const page = await openPage(fragment);

    expect(await page.says('This tab has no session')).toContain(because);
  });

  test('keeps its session at a reload', async () => {
    const page = await openPage();
    await page.open('#/prod/now', 'unanswered');

    session.value = { kind: 'opening' };
    await page.says('Opening the console…');
    await openSession();

    expect(await page.says('unanswered')).toContain('Live');
  });

  test('takes the token off its address, and forgets its session once the console has ended', async () => {
    const page = await openPage();
    await page.open('#/prod/now', 'unanswered');
    expect(page.address()).toBe('#/prod/now');
    expect(page.kept()).toContain('a-session');

    page.server.goAway();
    const said = await page.says('The console has ended');

    expect(said).not.toContain('unanswered');
    expect(page.kept()).toBeNull();
  });

  test('says that access is denied, with the command that helps, above the last facts', async () => {
    const page = await openPage();
    await page.open('#/prod/now', 'unanswered');

    page.server.deny('the SSO session of this stage has ended');
    const said = await page.says('the SSO session of this stage has ended');

    expect(said).toContain('aws sso login');
    expect(said).toContain('Stale');
    expect(said).toContain('unanswered');
  });

  test('says that the console does not answer, and when it tries again', async () => {
    const page = await openPage();
    await page.open('#/prod/now', 'unanswered');

    await page.server.close();

    expect(await page.says('Next try in')).toContain('Stale');
  });
});
