import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fileChecked } from '../page/facts.ts';
import { openDrawnPage, type DrawnPage } from './drawn-page.ts';

/** What a person can change at the page: exactly what is said is sent. */
let page: DrawnPage;
beforeAll(async () => {
  page = await openDrawnPage();
});
beforeEach(() => page.allow(['resolve', 'switch', 'upload']));
afterAll(() => page.close());

const ofStage = '--stage prod@eu-west-1:work';
const open = (address: string, text: string) => page.open(`#/prod/${address}`, text);

/** The last request that changes something. */
const lastSent = () => {
  const [, path = '', body = ''] = /^(\S+) (.*)$/s.exec(page.server.sent.at(-1) ?? '') ?? [];
  return { path, body };
};
const choose = async (name: string) => {
  await open('now', 'Recent');
  await open('uploads', 'Choose a file');
  await page.give('Choose a file', new File(['text,label\na,maybe\n'], name));
  await page.says('to block.');
};
const confirm = async (verb: string) => {
  await page.type('Reason', 'CHG-9');
  await page.type('Type prod', 'prod');
  await page.press(verb);
};

test('a file with problems is not sent: each problem stands at its row', async () => {
  await choose('bad.csv');
  await page.press('Check for this key');
  const said = await page.says('prompt is empty');

  expect(said).toContain('1 more problems are not shown.');
  expect(said).not.toContain('Send it');
  expect(page.server.sent.filter((request) => request.includes('/uploads'))).toEqual([]);
});

// The worker registers it all the same: only the page refused.
test('a file with problems is sent if its rule checks nothing', async () => {
  await choose('as-it-is.csv');

  expect(await page.says('registers it as it is, and checks nothing.')).toContain('Send it');
});

test('a file is sent, and not under a key for which it was not checked', async () => {
  await choose('good.csv');
  await page.type('Key', 'datasets/bad.csv');
  await page.says('datasets/good.csv');
  await expect.poll(page.text).not.toContain('Send it');
  await page.type('Key', 'datasets/good.csv');
  await page.says('Send it');
  await confirm('Send it');

  expect(await page.says('Sent as')).toContain('datasets/good.csv, version v9. Its outcome is shown there.');
  expect(lastSent().path).toBe('/api/stages/prod/uploads?key=datasets/good.csv&because=CHG-9&typed=prod');
});

test('a file whose rule starts a run is sent only by a console that may do both', async () => {
  page.answers.set('/check', {
    ...fileChecked,
    sample: 'häßlich',
    warnings: ['it has one label'],
    rule: { prefix: 'datasets/', check: 'prompt-label', thenStart: 'nightly' },
  });
  await choose('a.csv');

  const said = await page.says('Its rule starts nightly. This console may not (no --allow upload-and-start).');
  expect(said).toContain('The first prompt beyond ASCII reads: häßlich');
  expect(said).toContain('◆ it has one label');
  expect(said).not.toContain('Send it');
  page.allow(['upload-and-start']);
  await page.says('Send it');
  page.answers.clear();
});

// The gateway got the list as it was, and the file was parked.
test('a file that must be converted is sent converted, as the copied command sends it', async () => {
  await choose('list.txt');
  await page.says(
    `npx --prefix /srv/stage --no -- autopilot upload --convert --key datasets/list.txt list.txt ${ofStage}`,
  );
  await confirm('Convert and send');
  await page.says('Sent as');

  expect(lastSent().path).toBe('/api/stages/prod/uploads?key=datasets/list.txt&because=CHG-9&typed=prod&convert=yes');
});

test.each([
  ['Column of the prompts', 'text', 'prompt-column=text'],
  ['Column of the labels', 'toxic', 'label-column=toxic'],
  ['One label for all rows', 'true', 'label=true'],
])('%s is asked for in the check, and goes with the file', async (field, value, query) => {
  await choose('list.txt');
  await page.type(field, value);
  await expect.poll(() => lastSent().path).toBe(`/api/stages/prod/check?key=datasets/list.txt&${query}`);
  await page.says('Convert and send');
  await confirm('Convert and send');
  await page.says('Sent as');

  expect(lastSent().path).toContain(`&convert=yes&${query}`);
});

test('the words of true and false are asked for once both are there', async () => {
  await choose('list.txt');
  await page.type('Words for true', 'yes,oui');
  expect(lastSent().path).toBe('/api/stages/prod/check?key=datasets/list.txt');
  await expect.poll(() => page.find('details').querySelectorAll('input')[2]?.value).toBe('yes,oui');
  await page.type('Words for false', 'no,non');

  await expect.poll(() => lastSent().path).toContain('&true=yes,oui&false=no,non');
});

// Pasted, they met another stage, or "command not found".
test.each([
  ['now', `npx --prefix /srv/stage --no -- autopilot thaw ${ofStage}`],
  ['doctor', `npx --prefix /srv/stage --no -- autopilot token set ${ofStage}`],
  ['calendar', `npx --prefix /srv/stage --no -- autopilot plan ${ofStage}`],
])('each command on %s names its program and its stage', async (screen, command) => {
  await open(screen, command);

  const lines = [...page.find('#main').querySelectorAll('.command')].map(({ textContent }) => textContent.trim());
  expect(lines.filter((line) => !line.startsWith('npx --prefix /srv/stage --no -- autopilot '))).toEqual([]);
});

test('a run is stopped after a second look: exactly the runs that it showed, with a reason', async () => {
  page.allow(['stop']);
  await open('now', 'Recent');
  await page.press('Stop all 2…');
  const look = await page.says('A stopped run never goes on.');
  expect(look).toContain('Stop 2 runs');
  await confirm('Stop 2 runs');
  await page.says('2 stops are sent.');

  expect(lastSent().path).toBe('/api/stages/prod/stops');
  expect(JSON.parse(lastSent().body)).toEqual({ startIds: ['c1', 'weekly'], because: 'CHG-9', typed: 'prod' });
});

test('a freeze is given its end, in the zone of the stage', async () => {
  await open('now', 'Recent');
  await page.press('Freeze or pause…');
  await page.says('Block starts');
  await page.type('Until', '2026-12-06T06:00');
  await confirm('Freeze the stage');
  await page.says('The stage is frozen until Sun 6 Dec 06:00.');

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
  await open('now', 'Recent');
  await page.press('Freeze or pause…');
  await page.says('Block starts');
  await page.type('What', title);
  await page.says(`Pause the ${title}`);
  await confirm(`Pause the ${title}`);
  await page.says(`The ${title} is paused.`);

  expect(JSON.parse(lastSent().body)).toMatchObject({ action: 'pause', subject });
});

// The button went with the freeze, and the answer with it.
test('what a switch did stays said, though its freeze is gone', async () => {
  await open('now', 'Recent');
  await page.press('Thaw the stage…');
  await page.says('Reason (kept in the history, with ann)');
  await confirm('Thaw the stage');
  await page.says('The freeze has ended.');

  page.tell({ switches: [], needs: [] });
  const said = await page.says('Nothing needs attention.');

  expect(said).toContain('The freeze has ended.');
  page.forget();
});

test('a refused change stays in its form, with the reason', async () => {
  page.answers.set('/switches', { problem: { code: 'DENIED', message: 'the name of the stage is wrong' } });
  await open('now', 'Recent');
  await page.press('Freeze or pause…');
  await page.says('Block starts');
  await confirm('Freeze the stage');

  expect(await page.says('the name of the stage is wrong')).toContain('Block starts');
  await page.press('Cancel');
  await expect.poll(page.text).not.toContain('Block starts');
  page.answers.clear();
});

test('a group is resolved after its dry run: the rows that it named, with their versions', async () => {
  await open('parked', 'Dismiss all…');
  await page.press('Dismiss all…');
  const dryRun = await page.says('Dismiss 2 items, leave 1.');
  expect(dryRun).toContain('left as it is: it was changed');
  await confirm('Dismiss 2 items');
  await page.says('Decided 2 of 2.');

  expect(page.focused()?.textContent).toContain('Decided 2 of 2.');
  expect(page.text()).not.toContain('Nothing was done yet.');
  expect(JSON.parse(lastSent().body)).toEqual({
    rows: [
      { row: 'UPLOAD#0', version: 4 },
      { row: 'UPLOAD#1', version: 5 },
    ],
    decision: 'dismiss',
    because: 'CHG-9',
    typed: 'prod',
  });
});

test('one item of a group is decided alone, also as applied with its dataset', async () => {
  await open('parked/p1', 'Record as applied…');
  await page.press('Record as applied…');
  await page.says('Id of the dataset at the gateway');
  await page.type('Id of the dataset', 'ds-9');
  await page.press('Continue');
  await page.says('Record as applied 1 item, leave 0.');
  await confirm('Record as applied 1 item');
  await page.says('Decided 1 of 1.');

  expect(JSON.parse(lastSent().body)).toMatchObject({
    rows: [{ row: 'UPLOAD#1', version: 5 }],
    decision: 'applied',
    datasetId: 'ds-9',
  });
});

test('a console that may change nothing gives the command for a decision, a freeze and a file', async () => {
  page.allow([]);
  await open('now', 'autopilot freeze --reason TEXT');
  expect(page.text()).not.toContain('Thaw the stage…');
  await open('parked', 'Dismiss all…');
  await page.press('Dismiss all…');
  const said = await page.says('This console may not decide (no --allow resolve).');

  expect(said).toContain('npx --prefix /srv/stage --no -- autopilot parked resolve --code CHECK_FAILED --dismiss');
  expect(said).not.toContain('Dismiss 2 items\n');
  await choose('good.csv');
  expect(page.text()).toContain('Nothing is sent to the stage.');
  expect(page.text()).not.toContain('Send it');
});
