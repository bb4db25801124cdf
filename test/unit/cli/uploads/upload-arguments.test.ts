import { readArguments } from '#cli/terminal/arguments.ts';
import { planUploads } from '#cli/uploads/upload-arguments.ts';
import { expect, test } from 'vitest';

const options = {
  prefix: { type: 'string' },
  key: { type: 'string' },
  plan: { type: 'boolean' },
  'file-id': { type: 'string' },
} as const;
const plan = (...argv: readonly string[]) => planUploads(readArguments(argv, options));

test('puts a file below its prefix', () => {
  expect(plan('a/b.csv', '--prefix', 'pii')).toMatchObject([{ key: 'datasets/pii/b.csv', kind: 'dataset' }]);
});

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
