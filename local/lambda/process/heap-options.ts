import type { LocalFunction } from '../local-function.ts';

/** Where one of these is in a function's NODE_OPTIONS, Lambda sets neither of the two. */
const sizesOfTheHeap = /--max[-_](?:semi|old)[-_]space[-_]size/;

/** V8 does not start with less. */
const leastOldSpaceMb = 32;

/**
 * Options of Node with the sizes that Lambda gives to the heap: a twentieth of the function's memory for each half of the nursery, nine tenths for
 * what lives longer, as the start script of nodejs24.x has it
 * (https://dev.to/wonderfulsoap/deep-dive-into-aws-lambda-3-official-nodejs-runtime-analysis-43je).
 */
export function heapOptions({
  memoryMb,
  environment,
}: Pick<LocalFunction, 'memoryMb' | 'environment'>): readonly string[] {
  if (sizesOfTheHeap.test(environment['NODE_OPTIONS'] ?? '')) return [];
  const newSpaceMb = Math.floor(memoryMb / 10);
  const semiSpaceMb = Math.max(1, Math.floor(newSpaceMb / 2));
  const oldSpaceMb = Math.max(leastOldSpaceMb, memoryMb - newSpaceMb);
  return [`--max-semi-space-size=${semiSpaceMb}`, `--max-old-space-size=${oldSpaceMb}`];
}
