import { afterEach, beforeEach, expect, test } from 'vitest';
import { listingOf } from '#functions/poll-scanner-packages/walk-packages.ts';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { createGatewayClient, type GatewayClient } from '#shared/gateway-client/index.ts';
import {
  aWatch,
  type Crash,
  CrashError,
  createPollBench,
} from '../../../unit/functions/poll-scanner-packages/poll-bench.ts';

const { pii } = seedIds.scannerPackages;
const watch = aWatch({ onChange: [{ match: { name: '*personal data*', field: 'availableUpdate' }, start: 'smoke' }] });
const token = async () => 'good';
let gateway: RunningGateway;
let client: GatewayClient;

beforeEach(async () => {
  gateway = await startGateway({ port: 0, database: ':memory:', tokens: ['good'] });
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

/** A watch that has seen the seed once. */
async function baselined() {
  const bench = createPollBench(watch);
  const poll = (crash?: Crash) =>
    bench.poll([], { deps: { listing: listingOf(client) }, ...(crash === undefined ? {} : { crash }) });
  await poll();
  return { ...bench, poll };
}

async function control(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await fetch(`${gateway.url}/_control${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
}

test('walks every page of the filtered listing and finds nothing new if nothing is', async () => {
  const bench = await baselined();

  await bench.poll();

  expect(await bench.head()).toMatchObject({ packages: 183 });
  expect(bench.logged.at(-1)).toMatchObject({ event: 'packages_walked', fields: { pages: 2, changes: 0 } });
  expect(bench.events).toEqual([]);
});

test('a package changed at the gateway is reported with its field, and its run is started once', async () => {
  const bench = await baselined();
  await control('PUT', `/scanner-packages/${pii}`, { availableUpdate: '2026-04' });

  await bench.poll();
  await bench.poll();

  expect(bench.events).toMatchObject([
    { count: 1, changes: [{ kind: 'changed', packageId: pii, fields: ['availableUpdate'] }], starts: ['smoke'] },
  ]);
  expect(bench.commands).toMatchObject([{ action: 'start', run: 'smoke', reason: expect.stringContaining('PII') }]);
});

test.each([1, 2, 3, 4])('also when the poll dies after effect %i, between noticing and sending', async (at) => {
  const bench = await baselined();
  await control('PUT', `/scanner-packages/${pii}`, { availableUpdate: '2026-04' });

  await expect(bench.poll({ at, when: 'after' })).rejects.toBeInstanceOf(CrashError);
  await bench.poll();
  await bench.poll();

  expect(bench.startIds()).toHaveLength(1);
  expect(bench.eventIds()).toHaveLength(1);
});

test('a new package and a deleted one are reported, the deleted one after two walks', async () => {
  const bench = await baselined();
  const added = '019ba000-0000-7000-8000-00000000abcd';
  await control('DELETE', `/scanner-packages/${pii}`);
  await control('PUT', `/scanner-packages/${added}`, { name: 'Brand new', source: { type: 'vendor' } });

  await bench.poll();
  await bench.poll();

  expect(bench.events.map(({ changes }) => changes)).toMatchObject([
    [{ kind: 'added', packageId: added, name: 'Brand new' }],
    [{ kind: 'removed', packageId: pii }],
  ]);
});

test.each([
  ['an error', { status: 503 }],
  ['a reset', { reset: true }],
  ['half a body', { truncateBody: { bytes: 500, end: 'fin' } }],
  ['a redirect', { redirect: 'http://127.0.0.1:9/' }],
])('%s at the second page ends the walk, and nothing is concluded from it', async (_, fault) => {
  const bench = await baselined();
  await control('PUT', `/scanner-packages/${pii}`, { availableUpdate: '2026-04' });
  await control('POST', '/faults', { match: { path: 'listScannerPackages' }, skip: 1, ...fault });

  await expect(bench.poll()).rejects.toMatchObject({ code: expect.any(String) });
  expect(bench.events).toEqual([]);

  await bench.poll();
  expect(bench.startIds()).toHaveLength(1);
});
