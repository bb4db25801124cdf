import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createGatewayClient, type GatewayClient } from '#shared/gateway-client/index.ts';
import {
  aWatch,
  type Crash,
  CrashError,
  createProjectBench,
} from '../../../unit/functions/watch-projects/project-bench.ts';

const { chatApp } = seedIds.projects;
const { promptInjection, pii } = seedIds.scanners;
const watch = aWatch({
  onChange: [{ match: { field: 'scanners.*.version' }, start: 'nightly' }],
  endpoints: { groupId: seedIds.groups.customerFacing },
});
const token = async () => 'good';
const dayMs = 86_400_000;
let nowMs: number;
let gateway: RunningGateway;
let client: GatewayClient;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-20T22:00:00Z');
  gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['good'], now: () => new Date(nowMs) });
  client = createGatewayClient({
    baseUrl: gateway.url,
    tokenProvider: { get: token, refresh: token },
    repeatGets: false,
  });
});
afterEach(async () => {
  await client.close();
  await gateway.close();
});

/** A watch that has looked at the seed once; a day passes before each of its looks. */
async function baselined() {
  const bench = createProjectBench(watch);
  const deps = { gateway: client, now: () => new Date(nowMs) };
  const tick = async (crash?: Crash) => {
    nowMs += dayMs;
    return bench.tick({ crash, deps });
  };
  await tick();
  return { ...bench, tick };
}

async function control(method: string, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/_control${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
}

/** A person gives the first scanner of `chat-app` another version, an hour after the last look. */
async function update(version: string): Promise<void> {
  const { project } = await client.getProject({ project: chatApp });
  const scanners = (project.config?.scanners ?? []).map((scanner) =>
    scanner.id === promptInjection ? { ...scanner, version } : scanner,
  );
  nowMs += 3_600_000;
  await control('PUT', `/projects/${chatApp}`, { config: { scanners } });
}

test('a scanner version that was changed at the gateway is told with what it was, and starts its run', async () => {
  const bench = await baselined();
  await bench.startRun('smoke', new Date(nowMs));
  await update('2026-03');
  const line = `scanners.${promptInjection}.version: 2026-02 → 2026-03`;

  const answer = await bench.tick();
  await bench.tick();

  expect(answer.summary).toBe(
    `1 change (${line}), start of nightly sent, not comparable: smoke, 2 deprecated endpoints in use`,
  );
  expect(bench.eventsOf('ProjectChanged')).toMatchObject([
    { project: { id: chatApp, name: 'chat-app' }, difference: [line], starts: ['nightly'] },
  ]);
  expect(bench.eventsOf('CampaignRunNotComparable')).toMatchObject([{ run: 'smoke', difference: [line] }]);
  expect(bench.startIds()).toHaveLength(1);
});

test('a run that began after the change is comparable, by what the gateway answers for its start', async () => {
  const bench = await baselined();
  await update('2026-03');
  nowMs += 3_600_000;
  await bench.startRun('smoke', new Date(nowMs));

  await bench.tick();

  expect(bench.eventsOf('ProjectChanged')).toHaveLength(1);
  expect(bench.eventsOf('CampaignRunNotComparable')).toEqual([]);
});

test('a scanner that is taken out and one that is put in are told by their ids', async () => {
  const bench = await baselined();
  const { project } = await client.getProject({ project: chatApp });
  const kept = (project.config?.scanners ?? []).filter(({ id }) => id !== pii);
  await control('PUT', `/projects/${chatApp}`, { config: { scanners: [...kept, { id: 'brand-new' }] } });

  await bench.tick();

  expect(bench.eventsOf('ProjectChanged')).toMatchObject([
    { difference: ['scanners.brand-new: added', `scanners.${pii}: removed`], starts: [] },
  ]);
});

test('the endpoints of the group are told once, by their names', async () => {
  const bench = await baselined();

  await bench.tick();

  expect(bench.eventsOf('EndpointsStillInUse')).toMatchObject([
    { count: 2, endpoints: [{ name: 'chat-web' }, { name: 'chat-mobile' }] },
  ]);
});

test.each([2, 3, 4])(
  'a tick that dies after effect %i is finished by the next one, and nothing happens twice',
  async (at) => {
    const bench = await baselined();
    await update('2026-03');

    await expect(bench.tick({ at, when: 'after' })).rejects.toBeInstanceOf(CrashError);
    await bench.tick();

    expect(bench.startIds()).toHaveLength(1);
    expect(new Set(bench.eventsOf('ProjectChanged').map(({ eventId }) => eventId)).size).toBe(1);
  },
);

test.each([
  ['an error', { status: 503 }],
  ['half a body', { truncateBody: { bytes: 300, end: 'fin' } }],
  ['a redirect', { redirect: 'http://127.0.0.1:9/' }],
])('%s where the project should be ends the tick, and nothing is concluded from it', async (_, fault) => {
  const bench = await baselined();
  await update('2026-03');
  await control('POST', '/faults', { match: { path: 'getProject' }, times: 1, ...fault });

  await expect(bench.tick()).rejects.toMatchObject({ code: expect.any(String) });
  expect(bench.eventsOf('ProjectChanged')).toEqual([]);

  await bench.tick();
  expect(bench.startIds()).toHaveLength(1);
});
