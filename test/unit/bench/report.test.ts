import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { measuredRow } from '../../bench/measured-row.ts';
import { spreadOf } from '../../bench/measure/statistics.ts';
import { marks, withFigures } from '../../bench/report/document.ts';
import { noisiest } from '../../bench/verdict.ts';
import { rowText, summaryText } from '../../bench/report/table-text.ts';

const nothing = async () => ({ figures: [], notes: [] });

const row = measuredRow(
  {
    id: 'record',
    title: 'CPU per SQS record',
    peer: 'bare undici',
    isNoiseFree: false,
    measure: nothing,
  },
  {
    figures: [
      { name: 'batch of 10', value: 1.5, unit: '×', bar: 1.7, stretch: 1.2, detail: '75.0 µs against 50.0 µs' },
      { name: 'batch of 1', value: 2.4, unit: '×', bar: 1.9, detail: '120.0 µs against 50.0 µs' },
    ],
    notes: ['got: 3.87×'],
    asides: ['wall: 90 µs'],
    sameTwice: { low: 0.98, median: 1, high: 1.03 },
  },
  12,
);
const machine = { sentence: 'a machine', date: '2026-11-21' };

test('a row shows each figure, its bar drawn with the mark where it ends, and its verdict', () => {
  const text = stripVTControlCharacters(rowText(row));

  expect(text).toContain('1.50× ██████████████··│······· held');
  expect(text).toContain('2.40× ████████████████│███···· over');
  expect(text).toContain('the peer over itself: 1.00×, middle half 0.98–1.03');
  expect(text).toMatch(/ got: 3\.87×\n +wall: 90 µs$/);
});

test('the summary names what is over its bar', () => {
  expect(summaryText([row])).toContain('OVER: record: batch of 1');
});

test('the summary names a row that could not be measured, and why', () => {
  expect(summaryText([row], [{ id: 'cold', error: 'no port' }])).toContain('NOT MEASURED: cold: no port');
});

test('a row without a figure is no row that was measured', () => {
  expect(() => measuredRow({ ...row, measure: nothing }, { figures: [], notes: [] }, 1)).toThrow('record');
});

test('the document gets date, machine, figure, verdict and command, and keeps what people wrote', () => {
  const before = `# Performance\n\n${marks.begin}\nold\n${marks.end}\n\n## What was tried\n`;

  const after = withFigures(before, [row], machine, { rounds: 7, seed: 'abc' });

  expect(after).toContain('Measured 2026-11-21 by `npm run bench -- --write --rounds 7 --seed abc` on a machine.');
  expect(after).toContain('| `record`: batch of 1 | 2.40× | **over**: ≤ 1.90× | 120.0 µs against 50.0 µs |');
  expect(after).toContain(
    '- `record`: CPU per SQS record, against bare undici; noise 1.00× (0.98–1.03)\n  - got: 3.87×\n',
  );
  expect(after).not.toContain('wall');
  expect(after).not.toContain('old');
  expect(after.endsWith(`${marks.end}\n\n## What was tried\n`)).toBe(true);
});

test('a document without its marks is not written over', () => {
  expect(() => withFigures('# Performance\n', [row], machine, { rounds: 7, seed: 'abc' })).toThrow(
    'docs/reference/performance.md has lost its marks',
  );
});

test('a spread is the middle half', () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ low: 2, median: 3, high: 4 });
  expect(spreadOf([1, 2])).toEqual({ low: 1.25, median: 1.5, high: 1.75 });
});

test.each([[[]], [[1.2, Number.NaN, 1.2]], [[1.2, Infinity]]])('what was not measured has no spread: %j', (values) => {
  expect(() => spreadOf(values)).toThrow(RangeError);
});

test('of several spreads of the same thing twice, the worst one counts', () => {
  const wide = { low: 0.7, median: 1, high: 1.3 };
  const below = { low: 0.84, median: 1, high: 1 };

  expect(noisiest([{ low: 0.99, median: 1, high: 1.01 }, wide, { low: 1.04, median: 1.06, high: 1.08 }])).toEqual(wide);
  expect(noisiest([{ low: 0.91, median: 1, high: 1.1 }, below])).toEqual(below);
});
