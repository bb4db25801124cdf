import { expect, test } from 'vitest';
import { heapOptions } from '#local/lambda/process/function-process.ts';

const optionsOf = (memoryMb: number, nodeOptions?: string) =>
  heapOptions({ memoryMb, environment: nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions } });

test('a function gets the heap that Lambda would give it', () => {
  expect(optionsOf(512)).toEqual(['--max-semi-space-size=25', '--max-old-space-size=461']);
  expect(optionsOf(128)).toEqual(['--max-semi-space-size=6', '--max-old-space-size=116']);
  expect(optionsOf(512, '--enable-source-maps')).toHaveLength(2);
});

test.each(['--max-semi-space-size=2', '--max_old_space_size=100', '--a --max-old-space-size=100 --b'])(
  'a function that says %s gets nothing beside it, as in Lambda',
  (nodeOptions) => {
    expect(optionsOf(512, nodeOptions)).toEqual([]);
  },
);
