import { expect, test } from 'vitest';
import { heapOptions } from '#local/lambda/function-process.ts';

test.each([
  [512, ['--max-semi-space-size=25', '--max-old-space-size=461']],
  [128, ['--max-semi-space-size=6', '--max-old-space-size=116']],
])('a function of %i MB gets the heap that Lambda would give it', (memoryMb, options) => {
  expect(heapOptions({ memoryMb })).toEqual(options);
});
