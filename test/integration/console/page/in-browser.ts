import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipReason, startBrowser, type Watched } from './browser.ts';

/** The end of the name of what needs a browser. */
export const skipNote = skipReason === undefined ? '' : ` (skipped: ${skipReason})`;

/**
 * A suite with a browser, which is closed before all else.
 * @param args - options of chromium, such as names that it leads to this machine
 */
export function inBrowser(name: string, suite: (browser: () => Browser) => void, args?: readonly string[]): void {
  describe.skipIf(skipReason !== undefined)(`${name}${skipNote}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser(args);
    });
    suite(() => browser);
    afterAll(async () => browser.close());
  });
}

/** The last test of a suite, about all that its tabs did. */
export function testSilence(tabs: () => readonly Watched[]): void {
  test('made no other request, and wrote nothing to the console', () => {
    for (const { messages, outside } of tabs()) {
      expect(messages).toEqual([]);
      expect(outside.filter((url) => !url.startsWith('file:'))).toEqual([]);
    }
  });
}
