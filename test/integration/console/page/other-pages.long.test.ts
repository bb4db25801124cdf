import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAssets } from '#console/assets.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { writeKinds } from '#console/server/live.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { readSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';
import { openWith, startTestConsole, type TestConsole, tokenIn } from '../harness/test-console.ts';
import { skipNote, skipReason, startBrowser } from './browser.ts';

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

describe.skipIf(skipReason !== undefined)(`a browser with other pages${skipNote}`, () => {
  let running: TestConsole;
  let browser: Browser;
  let other: Server;
  let otherUrl: string;
  let session: string;

  beforeAll(async () => {
    // Its name in the console is not its own: it is deployed as `prod`.
    const deps: OperatorDeps = {
      ...(await exampleDeps()),
      target: { kind: 'aws', stage: 'prod', region: 'eu-west-1' },
    };
    const stages = consoleStages([{ label: 'prod@eu-west-1', words: [], open: () => deps }]);
    running = await startTestConsole({ stages, deps, allow: writeKinds, assets: readAssets });
    session = ((await (await openWith(running, tokenIn(running.newLink()))).json()) as { session: string }).session;
    other = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<h1>other</h1>'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    browser = await startBrowser(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
  });
  afterAll(async () => {
    await browser.close();
    other.closeAllConnections();
    other.close();
    await running.close();
  });

  /** The ledger as it was: nothing was done. */
  const expectFrozen = async () => {
    const frozen = await readSwitch(await running.deps.stage.ledger(), stageSwitch);
    expect(frozen).toMatchObject({ isOn: true, by: 'ann' });
  };

  /** A page at an address, and the statuses that the console gives it from then on, also those that the page may not see. */
  const pageAt = async (address: string) => {
    const context = await browser.newContext();
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

    const seen = await attackFrom(page, running.url, session);

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

    const seen = await attackFrom(page, `http://evil.example:${running.port}`, session);

    expect(seen.map((answer) => answer.slice(0, 42))).toEqual(
      Array.from({ length: 6 }, () => 'basic 403 {"problem":{"code":"REFUSED","me'),
    );
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 403));
    await expectFrozen();
  });

  // The page asked for the word of the command line, which the console refuses.
  test('a person is asked to type the name of the stage, and a write with it is done', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(running.newLink());
    await page.goto(`${running.url}/#/${encodeURIComponent('prod@eu-west-1')}/now`);
    await page.getByRole('button', { name: 'Thaw the stage…' }).click();

    await page.getByLabel(/^Reason/).fill('INC-77 has ended');
    await page.getByLabel('Type prod if this session').fill('prod');
    await page.getByRole('dialog').getByRole('button', { name: 'Thaw the stage' }).click();
    await page.getByRole('status').getByText('The freeze has ended.').waitFor();

    const frozen = await readSwitch(await running.deps.stage.ledger(), stageSwitch);
    expect(frozen).toMatchObject({ isOn: false, by: 'grace, by the console' });
  });
});
