/** Faults that misled a person at the page, each as it is now. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundlePage, type PageFiles } from '#console/bundle-page.ts';
import { openTab, skipNote, skipReason, startBrowser } from './browser.ts';
import { now, nowText } from './facts.ts';
import { type FixtureServer, startFixture, token } from './fixture-server.ts';

const ofStage = '--stage prod@eu-west-1:work';

describe.skipIf(skipReason !== undefined)(`the page no longer misleads${skipNote}`, () => {
  let browser: Browser;
  let files: PageFiles;
  let server: FixtureServer;
  let page: Page;

  beforeAll(async () => {
    [browser, files] = await Promise.all([startBrowser(), bundlePage()]);
  });
  afterAll(async () => browser.close());
  beforeEach(async () => {
    server = await startFixture(files, { allow: ['resolve', 'switch', 'upload'] });
    ({ page } = await openTab(browser, { origin: server.origin, now: nowText }));
    await page.goto(`${server.origin}/#token=${token}`);
    await page.getByText('the SSO session has ended').waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    await server.close();
  });

  const open = async (address: string) => page.goto(`${server.origin}/#/prod/${address}`);
  /** The body of the last request that changes something. */
  const lastSent = () => {
    const [, path = '', body = ''] = /^(\S+) (.*)$/s.exec(server.sent.at(-1) ?? '') ?? [];
    return { path, body };
  };
  const choose = async (name: string) => {
    await open('uploads');
    await page.getByLabel(/^Choose a file/).setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from('a') });
    await page.getByText(/rows, \d+ to block/).waitFor();
  };
  const confirm = async (verb: string) => {
    await page.getByLabel(/^Reason/).fill('CHG-9');
    await page.getByLabel(/^Type prod/).fill('prod');
    await page.getByRole('button', { name: verb, exact: true }).click();
  };

  // A green "smoke runs until …" stood above a gateway that is down; and a run that was only sent was said to run.
  test('the headline is that of status, and a run that is not confirmed is not said to run', async () => {
    await open('now');
    const says = 'smoke was started, not confirmed yet; no stop can be sent: the gateway connection is down';
    const run = { kind: 'run', subject: 'smoke', run: 'smoke', since: nowText, state: 'started', confirm: 'awaited' };
    const panel = page.getByRole('region', { name: /^In flight/ });
    const verdict = page.locator('.verdict', { hasText: says }).locator('.bad');
    await expect
      .poll(async () => {
        // The stream of this screen may begin after the first of them.
        server.tell({ headline: { says, tone: 'bad' }, inFlight: [run] });
        return { panel: await panel.innerText(), bad: await verdict.count() };
      })
      .toEqual({ panel: expect.stringContaining('not confirmed yet'), bad: 1 });
  });

  // It was sent, though its check had failed and no button to send was shown.
  test('Enter in the field of the key sends no file whose check failed', async () => {
    await choose('bad.csv');
    await page.getByLabel('Key', { exact: true }).press('Enter');
    await page.getByText('row 7: prompt is empty').waitFor();

    expect(server.sent.filter((request) => request.includes('/uploads'))).toEqual([]);
  });

  test('a file is not sent under a key for which it was not checked', async () => {
    await choose('good.csv');
    await page.getByRole('button', { name: 'Send it' }).waitFor();
    await page.getByLabel('Key', { exact: true }).fill('datasets/bad.csv');

    expect(await page.getByRole('button', { name: 'Send it' }).count()).toBe(0);
  });

  // The gateway got the list as it was, and the file was parked.
  test('a file that must be converted is sent converted, as the copied command sends it', async () => {
    await choose('list.txt');
    await page.getByText(`npx --no autopilot upload --convert --key datasets/list.txt list.txt ${ofStage}`).waitFor();
    await confirm('Convert and send');
    await page.getByText('Sent as').waitFor();

    expect(lastSent().path).toBe('/api/stages/prod/uploads?key=datasets/list.txt&because=CHG-9&typed=prod&convert=yes');
  });

  test.each([
    ['Column of the prompts', 'text', 'prompt-column=text'],
    ['Column of the labels', 'toxic', 'label-column=toxic'],
    ['One label for all rows', 'true', 'label=true'],
  ])('%s is asked for in the check, and goes with the file', async (field, value, query) => {
    await choose('list.txt');
    await page.getByText('Other columns and words').click();
    await page.getByLabel(field).fill(value);
    await page.getByLabel(field).press('Tab');
    await expect.poll(() => lastSent().path).toBe(`/api/stages/prod/check?key=datasets/list.txt&${query}`);
    await confirm('Convert and send');
    await page.getByText('Sent as').waitFor();

    expect(lastSent().path).toContain(`&convert=yes&${query}`);
  });

  test('the words of true and false are asked for once both are there', async () => {
    await choose('list.txt');
    await page.getByText('Other columns and words').click();
    await page.getByLabel('Words for true').fill('yes,oui');
    await page.getByLabel('Words for true').press('Tab');
    expect(lastSent().path).toBe('/api/stages/prod/check?key=datasets/list.txt');
    await page.getByLabel('Words for false').fill('no,non');
    await page.getByLabel('Words for false').press('Tab');

    await expect.poll(() => lastSent().path).toContain('&true=yes,oui&false=no,non');
  });

  // Pasted, they met another stage, or "command not found".
  test.each([
    ['now', `npx --no autopilot thaw ${ofStage}`],
    ['doctor', `npx --no autopilot token set ${ofStage}`],
    ['parked', `npx --no autopilot parked`],
  ])('each command on %s names its program and its stage', async (screen, command) => {
    await open(screen);
    if (screen === 'parked') await page.getByRole('button', { name: 'Dismiss all…' }).click();
    await page.locator('.command', { hasText: command }).first().waitFor();

    const lines = await page.locator('.command code').allTextContents();
    expect(lines.filter((line) => !line.startsWith('npx --no autopilot '))).toEqual([]);
  });

  test('a freeze is given its end, in the zone of the stage', async () => {
    await open('now');
    await page.getByRole('button', { name: 'Freeze or pause…' }).click();
    await page.getByLabel(/^Until/).fill('2026-12-06T06:00');
    await confirm('Freeze the stage');
    await page.getByText('The stage is frozen until Sun 6 Dec 06:00.').waitFor();

    expect(JSON.parse(lastSent().body)).toEqual({
      action: 'freeze',
      because: 'CHG-9',
      until: '2026-12-06T06:00:00.000Z',
      typed: 'prod',
    });
  });

  test.each([
    ['campaign chat-bot', { scope: 'campaign', name: 'chat-bot' }],
    ['schedule weeknights', { scope: 'schedule', name: 'weeknights' }],
  ])('the %s is paused alone', async (title, subject) => {
    await open('now');
    await page.getByRole('button', { name: 'Freeze or pause…' }).click();
    await page.getByLabel(/^What/).selectOption(title);
    await confirm(`Pause the ${title}`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    expect(JSON.parse(lastSent().body)).toMatchObject({ action: 'pause', subject });
  });

  test('one item of a group is decided alone, also as applied with its dataset', async () => {
    await open('parked/p1');
    await page.getByRole('button', { name: 'Record as applied…' }).click();
    await page.getByLabel('Id of the dataset at the gateway').fill('ds-9');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Record as applied 1 item, leave 0.').waitFor();
    await confirm('Record as applied 1 item');
    await page.getByText('Decided 1 of 1.').waitFor();

    expect(JSON.parse(lastSent().body)).toMatchObject({
      rows: [{ row: 'UPLOAD#1', version: 5 }],
      decision: 'applied',
      datasetId: 'ds-9',
    });
  });

  // The runbook named the row of its own example.
  test('an item shows its own commands, and its runbook none', async () => {
    await open('parked/p2');
    await page.getByText('npx --no autopilot parked resolve p2 --dismiss').waitFor();
    await page.getByText('Runbook').click();

    expect(await page.locator('.runbook pre, .runbook .command').count()).toBe(0);
  });

  // One cause was counted as five problems, and a past time stood as the next try.
  test('what follows from a cause is not counted, and names it', async () => {
    await open('now');
    const panel = page.getByRole('region', { name: /^Needs attention/ });
    await panel.waitFor();

    expect(await panel.getByRole('heading').innerText()).toMatch(/3$/);
    expect(await panel.getByRole('listitem').filter({ hasText: 'schedule weeknights' }).innerText()).toContain(
      'see freeze',
    );
  });

  test('a next try is never in the past, and a start of a frozen stage is marked', async () => {
    await open('now');
    const schedules = now.schedules.map((one) => ({ ...one, skipped: 'FROZEN' as const }));
    const pending = now.pending.map((one) => ({ ...one, id: 'c9', nextTryAt: '2026-12-05T07:00:00.000Z' }));
    // Told again until the page listens: on a busy machine its stream opens late.
    await expect
      .poll(async () => {
        server.tell({ schedules, pending });
        return page.getByText('FROZEN: will be skipped').count();
      })
      .toBeGreaterThan(0);

    expect(await page.getByRole('region', { name: /^Retrying/ }).innerText()).not.toContain('ago');
  });

  // The field and the page kept what was searched for before.
  test('a link shows what it says, also while its screen is open', async () => {
    await open('history');
    await page.getByRole('searchbox').waitFor();
    await open('history?search=FROZEN');
    await expect.poll(async () => page.getByRole('searchbox').inputValue()).toBe('FROZEN');
    await expect.poll(async () => page.getByRole('main').locator('tbody tr').count()).toBe(1);

    await open('parked?reason=OTHER');
    await page.getByRole('heading', { name: 'Parked' }).waitFor();
    expect(await page.getByText('datasets/pii/names-1.csv').count()).toBe(0);
  });
});
