import type { BenchRow } from '../bench-row.ts';
import { differences, readMeasured } from './measured.ts';
import type { ScaleFigures } from './scenario.ts';
import { exampleRates, type RunRates, ratesForSchedules, startsInTime } from './schedules.ts';
import { playAll, quickPart, scenarioNames, scenarios } from './scenarios.ts';

const mostNotes = 20;

const scale: BenchRow = {
  id: 'scale',
  title: 'the scenarios of docs/reference/limits.md',
  peer: 'its figures',
  isNoiseFree: true,
  async measure({ isQuick }) {
    const measured = readMeasured();
    const now = await playAll(isQuick ? quickPart : 1);
    const { schedulesAsShipped: hundred } = await playAll(quickPart, { names: ['schedulesAsShipped'] });
    const stale = differences(isQuick ? measured.quick : measured.full, now);
    const uploads = [now.day, now.down, now.backlog];
    const lost = uploads.map(({ messages, applied }) => messages - applied);
    const deadLetters = Object.values(now).map((figures) => figures.deadLetters);
    return {
      figures: [
        {
          name: 'uploads not applied',
          value: sum(lost),
          unit: 'uploads',
          bar: 0,
          detail: `of ${count(sum(uploads.map(({ messages }) => messages)))}`,
        },
        { name: 'dead letters', value: sum(deadLetters), unit: 'messages', bar: 0, detail: 'of every scenario' },
        {
          name: 'starts that missed their half hour',
          value: missed(now.schedules, ratesForSchedules) + missed(now.schedulesAsShipped, exampleRates),
          unit: 'starts',
          bar: 0,
          detail: `that their rate let through; of ${count(now.schedules.messages)} at the rates of docs/reference/limits.md, and as many at those of the example`,
        },
        {
          name: 'starts at once, the last of a hundred is sent',
          value: hundred.drainSeconds,
          unit: 's',
          bar: 300,
          detail: `at the ${exampleRates.runs} changes a second of the example; ideal ${hundred.messages / exampleRates.runs} s; ${hundred.refusedCalls} requests were refused`,
        },
        {
          name: 'stale figures in docs/reference/limits.md',
          value: stale.length,
          unit: 'figures',
          bar: 0,
          detail: 'npm run docs -- limits writes them',
        },
      ],
      notes: stale.slice(0, mostNotes),
      asides: scenarioNames.map((name) => `${scenarios[name].title}: ${textOf(now[name])}`),
    };
  },
};

/** The rows of scale. */
export const scaleRows: readonly BenchRow[] = [scale];

function missed({ messages, applied }: ScaleFigures, rates: RunRates): number {
  return Math.max(0, startsInTime(messages, rates) - applied);
}

function textOf(figures: ScaleFigures): string {
  const { calls, drainSeconds, deadLetters, ledgerReads, ledgerWrites, environments } = figures;
  return [
    `${count(calls)} calls`,
    `${count(drainSeconds)} s to drain`,
    `${deadLetters} dead letters`,
    `${count(ledgerReads)} reads and ${count(ledgerWrites)} writes of the ledger`,
    `${environments} environments`,
  ].join(', ');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function count(value: number): string {
  return value.toLocaleString('en-GB');
}
