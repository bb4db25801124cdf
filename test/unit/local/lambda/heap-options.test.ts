import { expect, test } from 'vitest';
import { heapOptions } from '#local/lambda/process/function-process.ts';

test('a function gets the heap that Lambda would give it', () => {
  expect(heapOptions({ memoryMb: 512 })).toEqual(['--max-semi-space-size=25', '--max-old-space-size=461']);
  expect(heapOptions({ memoryMb: 128 })).toEqual(['--max-semi-space-size=6', '--max-old-space-size=116']);
});
