import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StagesAnswer } from '#console/api.ts';
import type { ParkedAnswer, ResolveAnswer } from '#console/api-work.ts';
import { bundlePage } from '#console/bundle-page.ts';
import { writeKinds } from '#console/api.ts';
import { exampleAnswers } from '../harness/example-answers.ts';
import { openTab, type Watched } from './browser.ts';
import { nowText } from './facts.ts';
import { type FixtureServer, startFixture, token } from './fixture-server.ts';
import { filled, hostile, placesIn, readPage, textAt } from './hostile-places.ts';
import { inBrowser } from './in-browser.ts';
import { scores } from './facts.ts';
import { hiddenIn, hostileAsShown } from './run-facts.ts';

/** Answers without a text that is shown. */
const notSeen = new Set(['switches', 'check', 'stops'].map((path) => `POST /api/stages/:stage/${path}`));

/** Why a stage cannot be read. */
const refusal = { problem: { code: 'DENIED', message: 'no', part: 'plan', command: ['aws', 'sso', 'login'] } };

const stage = `${hostile} stage`;
const broken = `${hostile} broken`;

/** What of an answer the page must find in another. */
function fitted(route: string, answer: unknown): unknown {
  if (route === 'GET /api/stages/:stage/parked') {
    const { groups, parked } = answer as ParkedAnswer;
    return { ...(answer as object), parked: parked.map((row) => ({ ...row, reason: groups[0]?.reason })) };
  }
  if (route === 'GET /api/stages/:stage/scores') {
    return filled({ ...(answer as object), runs: scores.runs.slice(0, 1) }, route, textAt);
  }
  if (route === 'GET /api/stages') {
    const { stages } = answer as StagesAnswer;
    return { stages: [stage, broken].map((name) => ({ ...stages[0], name })) };
  }
  if (route === 'POST /api/stages/:stage/parked/resolve') {
    // What was decided is counted, and what was not is shown.
    const { resolved } = answer as ResolveAnswer;
    const problem = textAt(`${route}.resolved[0].problem`);
    return { ...(answer as object), resolved: resolved.map((row) => ({ ...row, problem })) };
  }
  return answer;
}

/** What the page itself loads. */
const own = new Set([
  '<link rel="icon" href="data:,">',
  '<link rel="stylesheet" href="/app.css">',
  '<script type="module" src="/app.js"></script>',
]);

/** In the page: what it knows is drawn. */
async function drawn(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** The fragment of an address; an empty part stays away. */
function fragmentOf(...parts: readonly string[]): string {
  const named = parts.filter((part) => part !== '');
  return `#/${named.map((part) => encodeURIComponent(part)).join('/')}`;
}

/** Unlike a stream, which goes on. */
function hasAnEnd(request: Request): boolean {
  return !request.url().includes('/api/live');
}

const fields = 'input:is(:not([type]), [type=search]):visible';

/** A dialog is above all else of the screen. */
async function topOf(page: Page): Promise<string> {
  return (await page.locator('dialog[open]').count()) > 0 ? 'dialog[open]' : 'main';
}

/** Chooses a file, then presses each button of the screen once, with the text in each field: what it opens has texts too. */
async function useAll(page: Page, quiet: () => Promise<void>, look: () => Promise<void>): Promise<void> {
  const file = page.locator('main input[type=file]');
  if ((await file.count()) > 0) {
    await file.setInputFiles({
      name: `${hostile.replace('/', '')}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from('a'),
    });
    await page.getByText('rows, ').first().waitFor();
  }
  const pressed = new Set<string>(['Copy', 'Copied']);
  for (let presses = 0; presses < 40; presses += 1) {
    await look();
    const top = page.locator(await topOf(page));
    // A text may take another field away.
    for (let index = 0; index < (await top.locator(fields).count()); index += 1) {
      await top.locator(fields).nth(index).fill(`${hostile} ⟦typed⟧`);
    }
    const names = await top.locator('button:enabled:visible').allTextContents();
    const name = names.find((each) => !pressed.has(each));
    if (name === undefined) return;
    pressed.add(name);
    await top
      .locator('button')
      .and(page.getByText(name, { exact: true }))
      .first()
      .click();
    await quiet();
  }
  expect.unreachable('there are always more buttons');
}

inBrowser('text of others in every place of every answer', (browser) => {
  let server: FixtureServer;
  let tab: Watched;
  let asking = 0;
  let answers: Readonly<Record<string, unknown>> = {};
  const answerOf = (route: string) => fitted(route, filled(answers[route], route, textAt));
  /** A route is its own words, or its words and a text of others. */
  const routeOf = (method: string, path: string) => {
    const route = `${method} ${path}`.replace(`/api/stages/${stage}/`, '/api/stages/:stage/');
    const isMeant = (known: string) => route.startsWith(known.replace(/:(?:command|id|key\{.+\})$/, ''));
    return Object.keys(answers).toSorted().findLast(isMeant) ?? route;
  };
  const seen = new Set<string>();
  const asked: string[] = [];

  beforeAll(async () => {
    ({ answers } = await exampleAnswers());
    const answerTo = (path: string, _query: URLSearchParams, body: string) => {
      asked.push(path);
      if (path.includes(broken)) return filled(refusal, 'refusal', textAt);
      if (path !== '/api/stages' && !path.startsWith(`/api/stages/${stage}/`)) return undefined;
      return answerOf(routeOf(body === '' ? 'GET' : 'POST', path));
    };
    const stages = [stage, broken].map((name) => ({ name, words: ['--stage', name] }));
    const session = { stages, operator: textAt('session.operator') };
    const known = { session, allow: writeKinds, now: () => answerOf('GET /api/stages/:stage/now'), answerTo };
    server = await startFixture(await bundlePage(), known);
    tab = await openTab(browser(), { origin: server.origin, now: nowText });
    tab.page.on('dialog', (dialog) => void dialog.dismiss());
    tab.page.on('request', (request) => (asking += Number(hasAnEnd(request))));
    tab.page.on('requestfinished', (request) => (asking -= Number(hasAnEnd(request))));
    tab.page.on('requestfailed', (request) => (asking -= Number(hasAnEnd(request))));
    await tab.page.goto(`${server.origin}/#token=${token}`);
    await tab.page.getByRole('navigation').waitFor();
  });
  afterAll(async () => server.close());

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

  const screens: readonly (readonly [screen: string, route: string, subject: string])[] = [
    ['stages', 'GET /api/stages', ''],
    ['now', 'GET /api/stages/:stage/now', ''],
    ['parked', 'GET /api/stages/:stage/parked', ''],
    ['parked', 'GET /api/stages/:stage/parked/:id', `${hostile} id`],
    ['runs', 'GET /api/stages/:stage/scores', ''],
    ['calendar', 'GET /api/stages/:stage/calendar', ''],
    ['run', 'GET /api/stages/:stage/runs/:command', `${hostile} command`],
    ['uploads', 'GET /api/stages/:stage/uploads', ''],
    ['uploads', 'GET /api/stages/:stage/uploads/:key{.+}', `${hostile} key`],
    ['history', 'GET /api/stages/:stage/history', ''],
    ['doctor', 'GET /api/stages/:stage/doctor', ''],
    ['settings', 'GET /api/stages/:stage/settings', ''],
  ];
  test.each(screens)('is text on the screen %s, with %s', async (screen, route, subject) => {
    const { page } = tab;

    const fragment = screen === 'stages' ? '#/' : fragmentOf(stage, screen, subject);
    await page.goto(`${server.origin}/${fragment}`);
    await page.getByRole('main').getByText('⟦').filter({ visible: true }).first().waitFor();
    await look();
    await useAll(page, quiet, look);

    expect([...seen].some((place) => place.startsWith(`${route}.`))).toBe(true);
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
    const key = textAt('GET /api/stages/:stage/uploads.uploads[0].key');
    await page.goto(`${server.origin}/#/${encodeURIComponent(stage)}/uploads`);

    await page.getByRole('link', { name: '⟦GET /api/stages/:stage/uploads.uploads[0].key⟧' }).click();
    await page.getByText('⟦GET /api/stages/:stage/uploads/:key{.+}.versions[0].versionId⟧').first().waitFor();

    expect(asked).toContain(`/api/stages/${stage}/uploads/${key}`);
  });

  test('of every answer is seen on a screen', () => {
    const isSeen = (route: string) => [...seen].some((place) => place.startsWith(`${route}.`));

    expect(Object.keys(answers).filter((route) => !isSeen(route) && !notSeen.has(route))).toEqual([]);
    // Of 200 at the time of writing: the walk goes on.
    expect(seen.size).toBeGreaterThan(150);
  });

  test('made no other request, and wrote nothing to the console but refusals', () => {
    expect(tab.outside).toEqual([]);
    expect(tab.messages.filter((message) => !message.includes('status of 403'))).toEqual([]);
  });
});
