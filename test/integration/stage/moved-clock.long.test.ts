/** The clock of a stage is moved while its functions are at work. */
import { afterAll, expect, test } from 'vitest';
import { datasetsOf, requestsOf } from './harness/control-data.ts';
import { openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';

const lateMs = 6000;
const lines: string[] = [];
const it = await openInProcessStage({ onLine: (line) => void lines.push(line) });
afterAll(it.close);

const registered = (): number =>
  lines.filter((line) => line.includes('"event":"dataset_created"') && line.includes('late.csv')).length;

// The lease and the visibility timeout used to end with the move: the upload was parked as
// POST_OUTCOME_UNKNOWN.
test('[F16] a move of the clock lets a call in hand end first: the upload is registered once, and nothing is parked', async () => {
  await it.control('/faults', 'POST', { match: { method: 'POST' }, times: 1, apply: 'before', delayMs: lateMs });
  await it.aws.put('datasets/pii/late.csv', 'prompt,label\nMy number is 12.,true\nWhat is one plus one?,false\n');
  await until('the POST to have its effect, and no answer yet', async () => (await datasetsOf(it)).length > 0);

  const registeredAtMoves: number[] = [];
  it.clock.onMove(() => void registeredAtMoves.push(registered()));
  const moved = await it.autopilot('clock', '+2h');

  expect(moved.code).toBe(0);
  expect(registeredAtMoves.length).toBeGreaterThan(0);
  expect(registeredAtMoves.filter((count) => count !== 1)).toEqual([]);
  await until('every function to be done', async () => it.stage.host.busyCount() === 0);
  expect(registered()).toBe(1);
  expect(await it.aws.parked()).toEqual([]);
  expect((await datasetsOf(it)).map(({ name }) => name)).toEqual(['late']);
  const posts = (await requestsOf(it)).filter(({ method, path }) => method === 'POST' && path.endsWith('/datasets'));
  expect(posts).toHaveLength(1);
});
