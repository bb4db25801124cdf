/** I16: large files are in memory one at a time. */
import { expect, test } from 'vitest';
import { createUploadBench } from './upload-bench.ts';

const largestTogether = 256_000;

/**
 * Four uploads of files of a size that are under way together; the most that were open at once, and
 * those that still are.
 */
async function together(sizeBytes: number) {
  const bench = createUploadBench();
  const bodies = ['one', 'two', 'three', 'four'].map((name) =>
    bench.put({
      key: `datasets/pii/${name}.csv`,
      versionId: 'v1',
      body: `prompt,label\n${name},true\nno,false\n`.padEnd(sizeBytes, '\n'),
    }),
  );
  await Promise.all(bodies.map(async (body) => bench.deliver(body)));
  return { posts: bench.posts.length, mostOpen: bench.state.mostOpen, open: bench.state.open };
}

test('of large files that are under way together, one at a time is asked for and in memory', async () => {
  expect(await together(largestTogether + 1)).toEqual({ posts: 4, mostOpen: 1, open: 0 });
});

test('small files do not wait for each other', async () => {
  expect(await together(largestTogether)).toEqual({ posts: 4, mostOpen: 4, open: 0 });
});
