import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAssets } from '#console/assets.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { writeKinds } from '#console/api.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { readSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';
import { openSession, startTestConsole, type TestConsole } from '../harness/test-console.ts';
import { inBrowser } from './in-browser.ts';
import { hostile } from './run-facts.ts';

/** What another page can send, and what came of it, as that page sees it. The secret of a session does not help it. */
async function attackFrom(page: Page, url: string, session: string): Promise<readonly string[]> {
  return page.evaluate(
    async ([console, secret]) => {
      const path = `${console}/api/stages/prod%40eu-west-1`;
      const body = '{"action":"thaw","because":"x","typed":"prod"}';
      const authorization = `Bearer ${secret}`;
      const json = { 'content-type': 'application/json', authorization };
      const requests: readonly (readonly [string, RequestInit])[] = [
        [`${console}/`, {}],
        [`${console}/api/stages`, { credentials: 'include' }],
        [`${path}/now`, { credentials: 'include', headers: { authorization } }],
        [`${path}/switches`, { method: 'POST', credentials: 'include', headers: json, body }],
        [`${path}/switches`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }],
        [`${path}/uploads?key=datasets/x.csv`, { method: 'POST', mode: 'no-cors', body }],
      ];
      const seen: string[] = [];
      for (const [address, request] of requests) {
        const answer = await fetch(address, request).catch(() => undefined);
        seen.push(answer === undefined ? 'nothing' : `${answer.type} ${answer.status} ${await answer.text()}`);
      }
      return seen;
    },
    [url, session] as const,
  );
}

/** The real page from the real server, and other pages in the same browser. */
inBrowser(
  'the page of the real console',
  (browser) => {
    let running: TestConsole;
    let other: Server;
    let otherUrl: string;
    /** Paths that came to a server on another port of this machine. */
    const heard: string[] = [];

    beforeAll(async () => {
      // Its name in the console is not its own: it is deployed as `prod`.
      const deps: OperatorDeps = {
        ...(await exampleDeps()),
        target: { kind: 'aws', stage: 'prod', region: 'eu-west-1' },
      };
      const stages = consoleStages([{ label: 'prod@eu-west-1', words: [], open: () => deps }]);
      running = await startTestConsole({ stages, deps, allow: writeKinds, assets: readAssets });
      other = createServer((request, response) => {
        heard.push(request.url ?? '');
        response
          .setHeader('access-control-allow-origin', '*')
          .setHeader('content-type', 'text/html')
          .end('<h1>other</h1>');
      });
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      other.closeAllConnections();
      other.close();
      await running.close();
    });

    /** A tab of its own that has opened a session. */
    const pageOf = async (link: string): Promise<Page> => {
      const page = await (await browser().newContext()).newPage();
      await page.goto(link);
      await page.getByRole('navigation').waitFor();
      return page;
    };

    test('lets no script that got in make markup of a text', async () => {
      const page = await pageOf(running.newLink());

      const refused = await page.evaluate((text) => {
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
      expect(await page.locator('img').count()).toBe(0);
    });

    test('lets no script that got in send what it read to another address', async () => {
      const page = await pageOf(running.newLink());

      const refused = await page.evaluate(async (url) => {
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
      }, otherUrl);

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
      const page = await pageOf(first.newLink());
      await page.goto('about:blank');
      await first.close();
      await using second = await startTestConsole({ assets: readAssets, port: first.port });

      await page.goto(second.url);
      await page.getByRole('heading', { name: 'This tab has no session' }).waitFor();

      expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
      expect(await page.locator('body').innerText()).not.toContain('INC-77');
    });

    test('takes the token off its address before it asks for anything, and out of the history of the tab', async () => {
      const page = await pageOf(running.newLink());

      expect(page.url()).not.toContain('token');
      await page.goBack();
      expect(page.url()).not.toContain('token');
    });

    /** The ledger as it was: nothing was done. */
    const expectFrozen = async () => {
      const frozen = await readSwitch(await running.deps.stage.ledger(), stageSwitch);
      expect(frozen).toMatchObject({ isOn: true, by: 'ann' });
    };

    /** A page at an address, and the statuses that the console gives it from then on, also those that the page may not see. */
    const pageAt = async (address: string) => {
      const context = await browser().newContext();
      const page = await context.newPage();
      await page.goto(address);
      const statuses: number[] = [];
      const network = await context.newCDPSession(page);
      await network.send('Network.enable');
      network.on('Network.responseReceivedExtraInfo', ({ statusCode, headers }) => {
        if (headers['x-frame-options'] === 'DENY') statuses.push(statusCode);
      });
      return { page, statuses };
    };

    test('a page on another port reads nothing and does nothing, also with the secret of a session', async () => {
      const { page, statuses } = await pageAt(otherUrl);

      const seen = await attackFrom(page, running.url, await openSession(running));

      expect(seen).toEqual(Array.from({ length: 6 }, () => 'nothing'));
      expect(statuses).toEqual(Array.from({ length: 6 }, () => 403));
      await expectFrozen();
    });

    test('a form of a page on another port is refused', async () => {
      const { page, statuses } = await pageAt(otherUrl);
      const leave = page.waitForURL(`${running.url}/**`);

      await page.evaluate((action) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'POST', enctype: 'text/plain', action });
        const field = document.createElement('input');
        Object.assign(field, { name: '{"action":"thaw","typed":"prod","because":"', value: '"}' });
        form.append(field);
        document.body.append(form);
        form.submit();
      }, `${running.url}/api/stages/prod%40eu-west-1/switches`);
      await leave;

      expect(statuses).toEqual([403]);
      expect(await page.locator('body').innerText()).toContain('only the page of this console may');
      await expectFrozen();
    });

    test('a frame of a page on another port shows nothing of the console', async () => {
      const { page } = await pageAt(otherUrl);
      await page.evaluate((link) => {
        const frame = document.createElement('iframe');
        frame.src = link;
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener('load', resolve));
      }, running.newLink());

      const [, frame] = page.frames();

      expect(frame?.url()).toBe('chrome-error://chromewebdata/');
      expect(await frame?.locator('script[src="/app.js"]').count()).toBe(0);
    });

    test('a name that leads to this machine reads nothing and does nothing', async () => {
      const { page, statuses } = await pageAt(`http://evil.example:${running.port}/`);

      const seen = await attackFrom(page, `http://evil.example:${running.port}`, await openSession(running));

      expect(seen.map((answer) => answer.slice(0, 42))).toEqual(
        Array.from({ length: 6 }, () => 'basic 403 {"problem":{"code":"REFUSED","me'),
      );
      expect(statuses).toEqual(Array.from({ length: 6 }, () => 403));
      await expectFrozen();
    });

    // The page asked for the word of the command line, which the console refuses.
    test('a person is asked to type the name of the stage, and a write with it is done', async () => {
      const page = await pageOf(running.newLink());
      await page.goto(`${running.url}/#/${encodeURIComponent('prod@eu-west-1')}/now`);
      await page.getByRole('button', { name: 'Thaw the stage…' }).click();

      await page.getByLabel(/^Reason/).fill('INC-77 has ended');
      await page.getByLabel('Type prod if this session').fill('prod');
      await page.getByRole('dialog').getByRole('button', { name: 'Thaw the stage' }).click();
      await page.getByRole('status').getByText('The freeze has ended.').waitFor();

      const frozen = await readSwitch(await running.deps.stage.ledger(), stageSwitch);
      expect(frozen).toMatchObject({ isOn: false, by: 'grace, by the console' });
    });
  },
  ['--host-resolver-rules=MAP evil.example 127.0.0.1'],
);
