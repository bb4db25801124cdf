import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAssets } from '#console/assets.ts';
import { startTestConsole, type TestConsole } from '../harness/test-console.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './browser.ts';
import { nowText } from './facts.ts';
import { hostile } from './run-facts.ts';

/** The real page from the real server. */
describe.skipIf(skipReason !== undefined)(`the page of the real console${skipNote}`, () => {
  let running: TestConsole;
  let browser: Browser;
  let tab: Watched;
  let other: Server;
  /** Paths that came to a server on another port of this machine. */
  const heard: string[] = [];

  beforeAll(async () => {
    [running, browser] = await Promise.all([startTestConsole({ assets: readAssets }), startBrowser()]);
    other = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.setHeader('access-control-allow-origin', '*').end();
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    tab = await openTab(browser, { origin: running.url, now: nowText });
    await tab.page.goto(running.newLink());
    await tab.page.getByRole('navigation').waitFor();
  });
  afterAll(async () => {
    await browser.close();
    other.closeAllConnections();
    other.close();
    await running.close();
  });

  test('lets no script that got in make markup of a text', async () => {
    const refused = await tab.page.evaluate((text) => {
      const sinks: readonly (() => void)[] = [
        () => (document.body.innerHTML = text),
        () => document.body.insertAdjacentHTML('beforeend', text),
        () => document.write(text),
        () => (document.createElement('iframe').srcdoc = text),
        () => (document.createElement('script').text = 'document.title = "run"'),
      ];
      return sinks.map((sink) => {
        try {
          sink();
          return 'taken';
        } catch (error) {
          return error instanceof Error ? error.name : 'thrown';
        }
      });
    }, hostile);

    expect(refused).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError']);
    expect(await tab.page.locator('img').count()).toBe(0);
  });

  test('lets no script that got in send what it read to another address', async () => {
    const outside = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

    const refused = await tab.page.evaluate(async (url) => {
      // A form leaves later: without the event the test would be over before its request.
      const formRefused = new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (effectiveDirective === 'form-action') resolve(effectiveDirective);
        });
      });
      const form = Object.assign(document.createElement('form'), { method: 'POST', action: `${url}/form` });
      document.body.append(form);
      form.submit();
      navigator.sendBeacon(`${url}/beacon`, 'x');
      const answers: string[] = [];
      for (const mode of ['cors', 'no-cors'] as const) {
        answers.push(await fetch(`${url}/${mode}`, { mode }).then(({ type }) => type, String));
      }
      for (const element of [
        Object.assign(document.createElement('img'), { src: `${url}/img` }),
        Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${url}/style` }),
      ]) {
        const ended = new Promise<string>((resolve) => {
          for (const type of ['load', 'error']) element.addEventListener(type, () => resolve(type));
        });
        document.head.append(element);
        answers.push(await ended);
      }
      return [...answers, await formRefused];
    }, outside);

    expect(refused).toEqual([
      'TypeError: Failed to fetch',
      'TypeError: Failed to fetch',
      'error',
      'error',
      'form-action',
    ]);
    expect(heard).toEqual([]);
  });

  // A console that was started again refuses the tabs of the one before: they hold a secret, and facts that grow old.
  test('forgets the session that its server no longer knows, and shows nothing of the stage', async () => {
    const first = await startTestConsole({ assets: readAssets });
    const page = await pageOf(browser, first.newLink());
    await page.goto('about:blank');
    await first.close();
    await using second = await startTestConsole({ assets: readAssets, port: first.port });

    await page.goto(second.url);
    await page.getByRole('heading', { name: 'This tab has no session' }).waitFor();

    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    expect(await page.locator('body').innerText()).not.toContain('INC-77');
  });

  test('takes the token off its address before it asks for anything, and out of the history of the tab', async () => {
    await using fresh = await startTestConsole({ assets: readAssets });
    const link = fresh.newLink();
    const page = await pageOf(browser, link);

    expect(page.url()).not.toContain('token');
    await page.goBack();
    expect(page.url()).not.toContain('token');
  });
});

/** A tab of its own that has opened a session. */
async function pageOf(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await page.getByRole('navigation').waitFor();
  return page;
}
