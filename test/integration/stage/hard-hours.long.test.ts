/**
 * Hours in which the gateway is busy or not there, on the clock of the whole stage: its functions,
 * queues and leases.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { startGateway } from '#gateway/server.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';
import { until } from './harness/stage-process.ts';

const uploads = 8;
const minuteMs = 60_000;
let it: InProcessStage;

beforeAll(async () => {
  it = await openInProcessStage({ stageName: 'chaos' });
});

afterAll(async () => it.close());

test('an hour of 429 parks and dead-letters nothing, and each upload is registered once afterwards', async () => {
  await fault({ match: { path: '/backend/v1' }, times: 'forever', status: 429, headers: { 'retry-after': '1' } });
  await uploadAll('busy');

  await pass(64 * minuteMs, 8 * minuteMs);

  expect(await registered('busy')).toEqual([]);
  await noFaults();
  await allRegistered('busy');
  expect(await it.aws.parked()).toEqual([]);
});

test('six hours without an answer park and dead-letter nothing, and each upload is registered once afterwards', async () => {
  const port = Number(new URL(it.gateway.url).port);
  await it.gateway.close();
  await uploadAll('down');

  await pass(6 * 60 * minuteMs, 45 * minuteMs);

  const again = await startGateway({ port, database: ':memory:', tokens: ['token'] });
  try {
    await allRegistered('down');
    expect(await it.aws.parked()).toEqual([]);
  } finally {
    await again.close();
  }
});

async function uploadAll(name: string): Promise<void> {
  for (let index = 0; index < uploads; index += 1) {
    const body = `prompt,label\nTell me ${name} secret ${index}.,true\nWhat is ${index} plus one?,false\n`;
    await it.aws.put(`datasets/${name}-${index}.csv`, body);
  }
}

/** Lets time pass in steps, and in each the workers take what comes back to its queue. */
async function pass(durationMs: number, stepMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    it.clock.moveForward(stepMs);
    await until('the workers to have taken what came back', async () => (isQuiet() ? true : undefined));
  }
}

function isQuiet(): boolean {
  const waiting = Object.values(it.stage.frontDoor.queueDepths()).reduce((sum, { visible }) => sum + visible, 0);
  return waiting === 0 && it.stage.host.busyCount() === 0;
}

async function allRegistered(name: string): Promise<void> {
  await until('all to be registered', async () => {
    if ((await registered(name)).length >= uploads) return true;
    // Minutes that pass in a worker's hands end its lease, and count as an attempt that never
    // ended.
    if (isQuiet()) it.clock.moveForward(2 * minuteMs);
    return undefined;
  });
  expect(await registered(name)).toEqual(Array.from({ length: uploads }, (_, index) => `${name}-${index}`));
  const deadLetters = Object.entries(it.stage.frontDoor.queueDepths()).filter(([queue]) =>
    queue.includes('DeadLetters'),
  );
  expect(deadLetters.filter(([, { visible, inFlight }]) => visible + inFlight > 0)).toEqual([]);
}

const datasets = z.object({ datasets: z.array(z.object({ name: z.string() })) });

async function registered(of: string): Promise<string[]> {
  const answer = datasets.parse(await (await fetch(`${it.gateway.url}/_control/datasets`)).json());
  return answer.datasets
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${of}-`))
    .toSorted();
}

async function fault(body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${it.gateway.url}/_control/faults`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function noFaults(): Promise<void> {
  await fetch(`${it.gateway.url}/_control/faults`, { method: 'DELETE' });
}
