import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import * as api from '#console/api.ts';
import * as work from '#console/api-work.ts';
import { bundlePage } from '#console/bundle-page.ts';
import { writeKinds } from '#console/server/live.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './browser.ts';
import { nowText } from './facts.ts';
import { type FixtureServer, startFixture, token } from './fixture-server.ts';
import { hostile, placesIn, readPage, textAt } from './hostile-places.ts';
import { hiddenIn, hostileAsShown } from './run-facts.ts';
import { choicesOf, valueOf } from './schema-values.ts';

/** Each schema of an answer by its name. A new one must be given a path below. */
const schemas = Object.fromEntries(
  Object.entries({ ...api, ...work }).filter(([name]) => name.endsWith('Answer')),
) as Readonly<Record<string, z.ZodType>>;

function schemaOf(name: string): z.ZodType {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`console/api.ts has no ${name}`);
  return schema;
}

/** The end of the path of each answer, the first that fits. */
const paths: readonly (readonly [end: RegExp, schema: string])[] = [
  [/^\/api\/stages$/, 'stagesAnswer'],
  [/\/now$/, 'nowAnswer'],
  [/\/calendar$/, 'calendarAnswer'],
  [/\/history$/, 'historyAnswer'],
  [/\/runs\/[^]+$/, 'runAnswer'],
  [/\/doctor$/, 'doctorAnswer'],
  [/\/settings$/, 'settingsAnswer'],
  [/\/uploads$/, 'uploadsAnswer'],
  [/\/uploads\/[^]+$/, 'uploadAnswer'],
  [/\/check$/, 'checkAnswer'],
  [/\/parked$/, 'parkedAnswer'],
  [/\/parked\/dry-run$/, 'dryRunAnswer'],
  [/\/parked\/resolve$/, 'resolveAnswer'],
  [/\/parked\/[^]+$/, 'parkedRowAnswer'],
  [/\/switches$/, 'switchAnswer'],
];

/** Not reached from any screen, or without a text of its own. */
const notSeen = new Set(['parkedRowAnswer', 'switchAnswer']);

const stage = `${hostile} stage`;
const broken = `${hostile} broken`;

/** The answers of a round: what the page must find in each other is made to fit. */
function answerOf(name: string, round: number): unknown {
  const schema = schemaOf(name);
  const answer = schema.parse(valueOf(schema, name.replace(/Answer$/, ''), { textAt, round })) as Record<
    string,
    unknown
  >;
  if (name === 'parkedAnswer') {
    const { groups, parked } = work.parkedAnswer.parse(answer);
    return { ...answer, parked: parked.map((row) => ({ ...row, reason: groups[0]?.reason })) };
  }
  if (name === 'stagesAnswer') {
    const { stages } = api.stagesAnswer.parse(answer);
    return { stages: stages.map((row, index) => ({ ...row, name: [stage, broken][index] ?? row.name })) };
  }
  return answer;
}

/** What the page itself loads. */
const own = new Set([
  '<link rel="icon" href="data:,">',
  '<link rel="stylesheet" href="/app.css">',
  '<script type="module" src="/app.js"></script>',
]);

/** In the page: what it knows is drawn. A file is read before it is sent, so its question comes after that. */
async function drawn(): Promise<void> {
  await new Blob(['a']).arrayBuffer();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** The fragment of an address; an empty part stays away. */
function fragmentOf(...parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== '');
  return `#/${filled.map((part) => encodeURIComponent(part)).join('/')}`;
}

/** Unlike a stream, which goes on. */
function hasAnEnd(request: Request): boolean {
  return !request.url().includes('/api/live');
}

const fields = 'main :is(input:not([type=file]):not([type=date]), textarea):visible';

/** Chooses a file, then presses each button of the screen once, with the text in each field: what it opens has texts too. */
async function useAll(page: Page, quiet: () => Promise<void>, look: () => Promise<void>): Promise<void> {
  const file = page.locator('main input[type=file]');
  if ((await file.count()) > 0) {
    await file.setInputFiles({
      name: `${hostile.replace('/', '')}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from('a'),
    });
    await page.getByText('⟦check').first().waitFor();
  }
  const pressed = new Set<string>(['Copy', 'Copied']);
  for (let presses = 0; presses < 40; presses += 1) {
    await look();
    for (const field of await page.locator(fields).all()) await field.fill(`${hostile} ⟦typed⟧`);
    const names = await page.locator('main button:enabled:visible').allTextContents();
    const name = names.find((each) => !pressed.has(each));
    if (name === undefined) return;
    pressed.add(name);
    await page
      .locator('main button')
      .and(page.getByText(name, { exact: true }))
      .first()
      .click();
    await quiet();
  }
  expect.unreachable('there are always more buttons');
}

describe.skipIf(skipReason !== undefined)(`text of others in every place of every answer${skipNote}`, () => {
  let browser: Browser;
  let server: FixtureServer;
  let tab: Watched;
  let round = 0;
  let asking = 0;
  const seen = new Set<string>();
  const asked: string[] = [];

  beforeAll(async () => {
    const answerTo = (path: string, _query: URLSearchParams, body: string) => {
      asked.push(path);
      if (path.includes(broken)) return answerOf('problemAnswer', round);
      if (path !== '/api/stages' && !path.startsWith(`/api/stages/${stage}/`)) return undefined;
      const [, name = ''] = paths.find(([end]) => end.test(path)) ?? [];
      return answerOf(name === 'uploadsAnswer' && body !== '' ? 'sentUploadAnswer' : name, round);
    };
    const stages = [stage, broken].map((name) => ({ name, words: ['--stage', name] }));
    const session = { stages, operator: textAt('session.operator') };
    const known = { session, now: () => answerOf('nowAnswer', round), answerTo };
    [server, browser] = await Promise.all([
      bundlePage().then(async (page) => startFixture(page, { allow: [...writeKinds], known })),
      startBrowser(),
    ]);
    tab = await openTab(browser, { origin: server.origin, now: nowText });
    tab.page.on('dialog', (dialog) => void dialog.dismiss());
    tab.page.on('request', (request) => (asking += Number(hasAnEnd(request))));
    tab.page.on('requestfinished', (request) => (asking -= Number(hasAnEnd(request))));
    tab.page.on('requestfailed', (request) => (asking -= Number(hasAnEnd(request))));
    await tab.page.goto(`${server.origin}/#token=${token}`);
    await tab.page.getByRole('navigation').waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** Every question has its answer, and the page has drawn it. */
  const quiet = async () => {
    await tab.page.evaluate(drawn);
    await expect.poll(() => asking).toBe(0);
    await tab.page.evaluate(drawn);
  };

  /** What is shown at this moment: text, and nothing else. */
  const look = async () => {
    const { text, others } = await readPage(tab.page);
    expect(others.filter((element) => !own.has(element))).toEqual([]);
    expect(hiddenIn(text)).toEqual([]);
    expect(text).toContain(hostileAsShown);
    for (const place of placesIn(text)) seen.add(place);
  };

  const screens: readonly (readonly [screen: string, schema: string, subject: string])[] = [
    ['stages', 'stagesAnswer', ''],
    ['now', 'nowAnswer', ''],
    ['parked', 'parkedAnswer', ''],
    ['calendar', 'calendarAnswer', ''],
    ['run', 'runAnswer', `${hostile} command`],
    ['uploads', 'uploadsAnswer', ''],
    ['uploads', 'uploadAnswer', `${hostile} key`],
    ['history', 'historyAnswer', ''],
    ['settings', 'settingsAnswer', ''],
  ];
  test.each(screens)('is text on the screen %s, with %s', async (screen, schema, subject) => {
    const { page } = tab;
    const rounds = choicesOf(schemaOf(schema));

    for (round = 0; round < rounds; round += 1) {
      const fragment = screen === 'stages' ? '#/' : fragmentOf(stage, screen, subject);
      await page.goto(`${server.origin}/?${round}${fragment}`);
      await page.getByRole('main').getByText('⟦').first().waitFor();
      await look();
    }
    round = 0;
    await useAll(page, quiet, look);

    expect([...seen].some((place) => place.startsWith(schema.replace(/Answer$/, '')))).toBe(true);
  });

  // Stages and Now have their facts from elsewhere.
  test.each(screens.slice(2))('is text on the screen %s if the stage refuses %s', async (screen, _schema, subject) => {
    asked.length = 0;
    await tab.page.goto(`${server.origin}/${fragmentOf(broken, screen, subject)}`);
    await expect.poll(() => asked.join()).toContain(`/api/stages/${broken}/`);
    await quiet();
    await look();
  });

  test('leads by its link to what it names, whatever it holds', async () => {
    const { page } = tab;
    const key = textAt('uploads.uploads[0].key');
    await page.goto(`${server.origin}/#/${encodeURIComponent(stage)}/uploads`);

    await page.getByRole('link', { name: '⟦uploads.uploads[0].key⟧' }).click();
    await page.getByText('⟦upload.versions[0].versionId⟧').first().waitFor();

    expect(asked).toContain(`/api/stages/${stage}/uploads/${key}`);
  });

  test('of every answer is seen on a screen', () => {
    const answers = new Set([...seen].map((place) => `${place.split(/[.[]/)[0]}Answer`));

    expect(Object.keys(schemas).filter((name) => !answers.has(name) && !notSeen.has(name))).toEqual([]);
    // Of more than 700 at the time of writing: the walk goes on.
    expect(seen.size).toBeGreaterThan(500);
  });

  test('made no other request, and wrote nothing to the console but refusals', () => {
    expect(tab.outside).toEqual([]);
    expect(tab.messages.filter((message) => !message.includes('status of 403'))).toEqual([]);
  });
});
