import { expect, test } from 'vitest';
import { createUploadsQueue, workFor } from './queue-bench.ts';

test('[C11] a file whose worker dies of it each time is parked after three attempts; the nine beside it are registered once', async () => {
  const { bench, queue, invoke } = createUploadsQueue();
  const uploads = Array.from({ length: 10 }, (_, index) => ({
    key: `datasets/pii/${index}.csv`,
    versionId: 'v1',
    body: `prompt,label\nrule ${index},true\nwhat?,false\n`,
  }));
  for (const upload of uploads) queue.send(bench.put(upload));
  let deaths = 0;
  bench.faults.read = async () => {
    if (bench.reads.at(-1) !== 'GET datasets/pii/4.csv') return;
    deaths += 1;
    bench.state.isDead = true;
    throw new Error('out of memory');
  };

  await workFor(24, { bench, queue }, async (event) => {
    bench.state.isDead = false;
    const answer = await invoke(event);
    // A process that was killed answers nothing: Lambda takes the whole batch for failed.
    if (bench.state.isDead) throw new Error('Runtime exited with error: signal: killed');
    return answer;
  });

  const rows = await Promise.all(uploads.map((upload) => bench.row(upload)));
  expect(rows.map((row) => row?.outcome?.reason ?? row?.state)).toEqual(
    uploads.map((_, index) => (index === 4 ? 'CRASH_LOOP' : 'APPLIED')),
  );
  expect([deaths, bench.posts.length, queue.left(), queue.deadLetters]).toEqual([3, 9, 0, []]);
});
