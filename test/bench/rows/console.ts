import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bundlePage } from '#console/bundle-page.ts';
import type { BenchRow, Figure } from '../bench-row.ts';
import { usageOfYear } from '../console/cost-of-tab.ts';
import { type Asked, countRequests } from '../console/count-requests.ts';
import { costOf, pricesAsOf } from '../cost/prices.ts';

/** The console's page: its script, and what one open tab asks of AWS. */
export const consolePage: BenchRow = {
  id: 'console',
  title: 'the page of the console',
  peer: 'a page that opens at once on a slow line',
  isNoiseFree: true,
  async measure({ isQuick }) {
    const { script } = await bundlePage();
    const detail = `gzip of the ${Math.round(Buffer.byteLength(script) / 1000)} kB that one file has`;
    const figures: Figure[] = [{ name: 'script', value: gzipSync(script).length / 1000, unit: 'kB', bar: 40, detail }];
    if (isQuick) return { figures, notes: ['--quick leaves the browser out'] };
    const minute = await minuteOfTab();
    if (minute === undefined) return { figures, notes: ['NOT MEASURED in a browser: there is none'] };
    return { figures: [...figures, ...figuresOf(minute)], notes };
  },
};

const notes = [
  'the stage: 14 days of history, a freeze, two blackouts, a parked row for each reason, 10,000 rows of history, 2,000 uploads',
  `prices of ${pricesAsOf}, US East, test/bench/cost/prices.ts; requests of Scheduler and CloudFormation cost nothing`,
];

/** What a tab that shows Now asks in a minute, on the stage of the console's tests. Loaded here: no other row pays for it. */
async function minuteOfTab(): Promise<readonly Asked[] | undefined> {
  const { skipReason, startBrowser } = await import('../../integration/console/page/browser.ts');
  if (skipReason !== undefined) return undefined;
  const { openFullStage } = await import('../../integration/console/full-stage/open-full-stage.ts');
  await using ends = new AsyncDisposableStack();
  const browser = await startBrowser();
  ends.defer(() => browser.close());
  const { stage, console: running, close } = await openFullStage();
  ends.defer(close);
  const page = await (await browser.newContext()).newPage();
  await page.goto(running.newLink());
  await page.getByText('Needs attention').waitFor();
  const counted = countRequests(stage.stage);
  await sleep(60_000);
  return counted();
}

function figuresOf(minute: readonly Asked[]): readonly Figure[] {
  const kinds = minute.map(({ kind, by, count }) => `${by === 'function' ? 'by its function ' : ''}${kind} ${count}`);
  const year = costOf(usageOfYear(minute));
  return [
    {
      name: 'requests of AWS in a minute of one open tab',
      value: minute.reduce((sum, { count }) => sum + count, 0),
      unit: 'requests',
      detail: kinds.join(', '),
    },
    {
      name: 'one tab that is open all year',
      value: year.usd,
      unit: '$',
      bar: 8,
      stretch: 4,
      detail: year.lines.map(({ name, usd }) => `${name} ${usd.toFixed(2)}`).join(', '),
    },
  ];
}
