/** The clock of a stage is moved while its functions are at work. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';

const lateMs = 6000;
let it: InProcessStage;
const lines: string[] = [];

beforeAll(async () => {
  it = await openInProcessStage({ stageName: 'local', onLine: (line) => void lines.push(line) });
});

afterAll(async () => it.close());

const datasets = z.object({ datasets: z.array(z.object({ name: z.string() })) });
const requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) });

async function control<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(await (await fetch(`${it.gateway.url}/_control${path}`)).json());
}

async function answerPostsLate(): Promise<void> {
  await fetch(`${it.gateway.url}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { method: 'POST' }, times: 1, apply: 'before', delayMs: lateMs }),
  });
}

const registered = (): number =>
  lines.filter((line) => line.includes('"event":"dataset_created"') && line.includes('late.csv')).length;

// The lease and the visibility timeout used to end with the move: the upload was parked as
// POST_OUTCOME_UNKNOWN.
test('[F16] a move of the clock lets a call in hand end first: the upload is registered once, and nothing is parked', async () => {
  await answerPostsLate();
  await it.aws.put('datasets/pii/late.csv', 'prompt,label\nMy number is 12.,true\nWhat is one plus one?,false\n');
  await until('the POST to have its effect, and no answer yet', async () =>
    (await control('/datasets', datasets)).datasets.length > 0 ? true : undefined,
  );

  const registeredAtMoves: number[] = [];
  it.clock.onMove(() => void registeredAtMoves.push(registered()));
  const moved = await it.autopilot('clock', '+2h');

  expect(moved.code).toBe(0);
  expect(registeredAtMoves.length).toBeGreaterThan(0);
  expect(registeredAtMoves.filter((count) => count !== 1)).toEqual([]);
  await until('every function to be done', async () => (it.stage.host.busyCount() === 0 ? true : undefined));
  expect(registered()).toBe(1);
  expect(await it.aws.parked()).toEqual([]);
  expect((await control('/datasets', datasets)).datasets.map(({ name }) => name)).toEqual(['late']);
  const posts = (await control('/requests', requests)).requests.filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(1);
});
