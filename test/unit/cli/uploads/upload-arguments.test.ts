import { commandLine } from '#shared/text/command-line.ts';
import { expect, test } from 'vitest';
import { command } from '#cli/uploads/upload.ts';
import { convertCommand, judgedLines, planUploads } from '#cli/uploads/upload-arguments.ts';
import { argumentsOf } from '../../operator/fake-deps.ts';
import { plain } from '#shared/text/terminal-writer.ts';

const plan = (...argv: readonly string[]) => planUploads(argumentsOf(command, ...argv));

test.each([
  ['--prefix', '../etc'],
  ['--key', 'datasets/a/../b.csv'],
  ['--key', 'datasets/./b.csv'],
])('refuses a key that a copy of the bucket would take out of its folder: %s %s', (option, value) => {
  expect(() => plan('b.csv', option, value)).toThrow('. or .. as a folder');
});

test('refuses one file id for several files', () => {
  expect(() => plan('a.csv', 'b.csv', '--file-id', 'same')).toThrow('one file');
});

test.each([
  [1, 'a.csv: ready: 1 row, 1 true and 0 false'],
  [2, 'a.csv: ready: 2 rows, 1 true and 1 false'],
])('a file of %i row is counted as people count', (rows, line) => {
  // A file with one row had "1 rows".
  const judged = { file: 'a.csv', verdict: 'ready', changes: [], problems: [], more: 0, rows, blocking: 1 } as const;

  expect(
    judgedLines({ ...judged, warnings: [], problemsByRow: [] }, argumentsOf(command, 'a.csv'), {
      paint: plain,
      line: commandLine,
    }),
  ).toEqual([line]);
});

// Pasted, the copy went to another key, was read in another encoding, or was refused for its name.
test.each([
  [['a.csv'], [], 'autopilot upload a.csv --convert'],
  [
    ['a.csv', '--prefix', 'pii', '--file-id', 'f 1'],
    [],
    "autopilot upload a.csv --convert --prefix pii --file-id 'f 1'",
  ],
  [['a.csv', '--key', 'datasets/x.txt'], [], 'autopilot upload a.csv --convert --key datasets/x.txt'],
  [['a.csv', '--key', 'datasets/x.txt'], ['--key', 'datasets/y'], 'autopilot upload a.csv --convert --key datasets/y'],
  [['--', '-a.csv'], [], 'autopilot upload ./-a.csv --convert'],
  [['in/a\nb.csv'], [], "autopilot upload $'in/a\\012b.csv' --convert --key datasets/a-b.csv"],
])('the command that converts keeps what %j says', (argv, more, line) => {
  const args = argumentsOf(command, ...argv);

  expect(commandLine(convertCommand(args.positionals[0] ?? '', args, more))).toBe(line);
});
