import { expect, test } from 'vitest';
import { createUploadBench } from './upload-bench.ts';

test('of the uploads that are under way together, one file at a time is in memory', async () => {
  const bench = createUploadBench();
  let open = 0;
  let most = 0;
  bench.faults.stream = async function* (pieces) {
    open += 1;
    most = Math.max(most, open);
    yield* pieces;
    open -= 1;
  };
  const bodies = ['one', 'two', 'three', 'four'].map((name) =>
    bench.put({ key: `datasets/pii/${name}.csv`, versionId: 'v1', body: `prompt,label\n${name},true\nno,false\n` }),
  );

  await Promise.all(bodies.map(async (body) => bench.deliver(body)));

  expect([bench.posts.length, most]).toEqual([4, 1]);
});
