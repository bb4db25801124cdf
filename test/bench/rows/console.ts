import { gzipSync } from 'node:zlib';
import { bundlePage } from '#console/bundle-page.ts';
import type { BenchRow, Figure } from '../bench-row.ts';
import { usageOfYear } from '../console/cost-of-tab.ts';
import type { MeasuredPage } from '../console/measure-page.ts';
import { costOf, pricesAsOf } from '../cost/prices.ts';

/** A frame with more script than this is one that a person sees. */
const longestFrameMs = 50;

/** The console's page: its script is judged, and what a browser makes of it is printed. */
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
    // Loaded here: no other row pays for a stage and a browser.
    const [{ skipReason }, { measurePage }] = await Promise.all([
      import('../../integration/console/page/browser.ts'),
      import('../console/measure-page.ts'),
    ]);
    if (skipReason !== undefined) return { figures, notes: [`NOT MEASURED in a browser: ${skipReason}`] };
    return { figures: [...figures, ...figuresOf(await measurePage())], notes };
  },
};

const notes = [
  'the stage: 14 days of history, a freeze, two blackouts, a parked row for each reason, 10,000 rows of history, 2,000 uploads',
  `prices of ${pricesAsOf}, US East, test/bench/cost/prices.ts; requests of Scheduler and CloudFormation cost nothing`,
];

function figuresOf(page: MeasuredPage): readonly Figure[] {
  const { firstPaintMs, nowMs, tabs, marks, longestScriptMs, minute } = page;
  const medianOf = `median of ${tabs} new tabs`;
  const holds = longestScriptMs <= longestFrameMs ? 'holds' : 'DOES NOT HOLD';
  const kinds = minute.map(({ kind, by, count }) => `${by === 'function' ? 'by its function ' : ''}${kind} ${count}`);
  const year = costOf(usageOfYear(minute));
  return [
    { name: 'first paint', value: firstPaintMs, unit: 'ms', detail: medianOf },
    { name: 'Now shows its data', value: nowMs, unit: 'ms', detail: `${medianOf}; at most 1,000 ms are wanted` },
    {
      name: `longest script of a frame while a calendar of ${marks} marks scrolls`,
      value: longestScriptMs,
      unit: 'ms',
      detail: `at most ${longestFrameMs} ms are wanted: ${holds}`,
    },
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
      detail: year.lines.map(({ name, usd }) => `${name} ${usd.toFixed(2)}`).join(', '),
    },
  ];
}
