import { once } from 'node:events';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { type CliStage, startCliStage } from '../cli/start-cli-stage.ts';
import { type ConsoleProcess, startConsoleProcess } from './harness/console-process.ts';
import { openTab, skipNote, skipReason, startBrowser, type Watched } from './page/browser.ts';

/** Three stages at three ports and in two regions, one `autopilot console` for all of them, and a browser. */
describe.skipIf(skipReason !== undefined)(`one console of three stages${skipNote}`, () => {
  let dublin: CliStage;
  let frozen: CliStage;
  let virginia: CliStage;
  let running: ConsoleProcess;
  let browser: Browser;
  let tab: Watched;

  beforeAll(async () => {
    [dublin, frozen, virginia] = await Promise.all([
      startCliStage(),
      startCliStage(),
      startCliStage({ region: 'us-east-1' }),
    ]);
    await setSwitch(frozen.ledger, stageSwitch, { isOn: true, by: 'ann', reason: 'INC-77', at: new Date() });
    const words = [dublin, frozen, virginia].flatMap(({ dataDir }) => ['--data', dataDir]);
    [running, browser] = await Promise.all([startConsoleProcess(words), startBrowser()]);
    tab = await openTab(browser, { origin: new URL(running.link).origin, now: new Date().toISOString() });
    await tab.page.goto(running.link);
    await rowOf(virginia).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    const closed = once(running.child, 'close');
    running.child.kill('SIGKILL');
    await closed;
    await Promise.all([dublin.close(), frozen.close()]);
  });

  const rowOf = ({ dataDir }: CliStage) => tab.page.getByRole('row').filter({ hasText: dataDir });
  const textOf = async (stage: CliStage) => rowOf(stage).innerText();
  const counted = async () => tab.page.getByRole('main').locator('tbody tr').count();

  test('each stage has one row, with its region', async () => {
    expect(await counted()).toBe(3);
    expect(await textOf(dublin)).toMatch(/this machine · eu-west-1[^]*act[^]*nothing/);
    expect(await textOf(frozen)).toMatch(/this machine · eu-west-1[^]*FROZEN[^]*FROZEN by ann/);
    expect(await textOf(virginia)).toMatch(/this machine · us-east-1[^]*act[^]*nothing/);
  });

  // The command named no stage: pasted, it thawed the stage of the folder that the shell stood in.
  test('a command that a person copies names the stage of its screen', async () => {
    await tab.page.getByRole('link', { name: frozen.dataDir }).click();
    await tab.page.getByText('INC-77').first().waitFor();

    // Also those of closed details, which have no inner text.
    const commands = await tab.page.getByRole('main').locator('.command code').allTextContents();

    expect(commands).toContain(`npx --no autopilot thaw --data ${frozen.dataDir}`);
    expect(commands.filter((line) => !line.endsWith(` --data ${frozen.dataDir}`))).toEqual([
      'npx --no autopilot check FILE', // it reads a file, and no stage
    ]);
    await tab.page.goto(`${new URL(running.link).origin}/#/`);
  });

  test('a stage that has ended says why in its row, which comes first, and hides no other', async () => {
    await virginia.close();

    // The rows are read again whenever the screen opens.
    const again = async () => {
      await tab.page.getByRole('link', { name: frozen.dataDir }).click();
      await tab.page.getByText('INC-77').first().waitFor();
      await tab.page.goto(`${new URL(running.link).origin}/#/`);
      await rowOf(virginia).waitFor();
      return textOf(virginia);
    };
    await expect.poll(again).toContain('no stage on this machine has its state in');

    expect(await counted()).toBe(3);
    expect(await tab.page.locator('tbody tr').first().innerText()).toContain(virginia.dataDir);
    expect(await textOf(dublin)).toMatch(/eu-west-1[^]*act[^]*nothing/);
    expect(await textOf(frozen)).toMatch(/eu-west-1[^]*FROZEN by ann/);
  });
});
