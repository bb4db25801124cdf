import { expect, test } from 'vitest';
import type { BenchRow } from '../../bench/bench-row.ts';
import { benchHelp, readBenchOptions } from '../../bench/bench-options.ts';

const aRow = (id: string, isNoiseFree: boolean): BenchRow => ({
  id,
  title: id,
  peer: 'nothing',
  isNoiseFree,
  measure: async () => ({ figures: [], notes: [] }),
});

const rows = [aRow('record', false), aRow('bundles', true), aRow('cost', true)];

const read = (...args: string[]) => readBenchOptions(args, rows, () => 'drawn');

const ids = (options: ReturnType<typeof read>) => (options === 'help' ? [] : options.rows.map(({ id }) => id));

test('all rows run, in nine rounds, with a seed that was drawn', () => {
  expect(read()).toMatchObject({ rounds: 9, seed: 'drawn', isQuick: false, isWrite: false, isJson: false });
  expect(ids(read())).toEqual(['record', 'bundles', 'cost']);
});

test('a quick run leaves out what noise can move', () => {
  expect(ids(read('--quick'))).toEqual(['bundles', 'cost']);
});

test('a row that is asked for by name runs, also in a quick run', () => {
  expect(ids(read('--quick', '--only', 'record'))).toEqual(['record']);
  expect(ids(read('--only', 'cost', '--only', 'record'))).toEqual(['record', 'cost']);
});

test.each([
  [['--only', 'recrod'], '--only recrod is none of record, bundles, cost'],
  [['--rounds', '6'], '--rounds 6 is not a whole number from 7 on'],
  [['--write', '--quick'], '--write needs every row: without --only and --quick'],
  [['--write', '--only', 'cost'], '--write needs every row: without --only and --quick'],
  [['--fast'], "Unknown option '--fast'; npm run bench -- --help lists the options"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => read(...args)).toThrow(sentence);
});

test('the help names every row', () => {
  expect(read('--help')).toBe('help');
  expect(benchHelp(rows)).toContain('Rows: record, bundles, cost');
});
