import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

/** The browser of the tests: Debian's chromium, which `.ci/run` installs. Nothing is downloaded. */
const browserPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Without a browser the tests are skipped with this reason in their name, never in silence. */
export const skipReason = existsSync(browserPath)
  ? undefined
  : `no browser at ${browserPath}: apt-get install chromium, or set CHROMIUM_PATH`;

/** A page gets this long for what it is waited for: it ends what hangs, and no machine under load. */
const actionMs = 120_000;

/** @param args - options of chromium, such as names that it leads to this machine */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath, args: [...args] });
}

/** What a page did that it must not do: messages of the console, and requests to anywhere else. */
export interface Watched {
  readonly page: Page;
  readonly messages: readonly string[];
  readonly outside: readonly string[];
}

/** A tab whose Date stands still, as a person's of New York would: its zone is not the stage's. */
export async function openTab(
  browser: Browser,
  options: {
    readonly origin: string;
    readonly now: string;
    readonly theme?: 'light' | 'dark';
    readonly size?: { readonly width: number; readonly height: number };
  },
): Promise<Watched> {
  const context = await browser.newContext({
    colorScheme: options.theme ?? 'light',
    viewport: options.size ?? { width: 1280, height: 900 },
    timezoneId: 'America/New_York',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(actionMs);
  const page = await context.newPage();
  await page.clock.setFixedTime(new Date(options.now));
  // Else the browser is told to hand file choosers over while the key that opens one is on its way.
  page.on('filechooser', () => {});
  const messages: string[] = [];
  const outside: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== options.origin && protocol !== 'data:') outside.push(request.url());
  });
  return { page, messages, outside };
}

/**
 * What axe finds wrong with the page as it stands; `evaluate` goes past the policy that refuses script elements.
 * @param without - rules that it leaves out
 */
export async function axeFindings(page: Page, without: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (left) => {
    // The script puts itself there, and no type of the page says so.
    const { axe: loaded } = globalThis as unknown as {
      axe: {
        run: (
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
      };
    };
    const rules = Object.fromEntries(left.map((rule) => [rule, { enabled: false }]));
    const { violations } = await loaded.run({ rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
    );
  }, without);
}
