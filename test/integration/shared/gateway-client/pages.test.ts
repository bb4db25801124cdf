import { describe, expect, it } from 'vitest';
import { BadStatusError } from '#shared/gateway-client/index.ts';
import type { GatewayClient, ListScannerPackagesInput } from '#shared/gateway-client/index.ts';
import { answering, clientOf, server, thrownBy } from './clients.ts';
import { sendJson } from './raw-server.ts';

/** A gateway that answers its pages in turn, and the cursors that it was asked for. */
async function listing(pages: readonly object[]) {
  const gateway = await server((socket, request) => {
    sendJson(socket, 200, pages[request.number - 1] ?? { packages: [], next: null });
  });
  const cursors = () =>
    gateway.requests.map((request) => new URL(request.path, gateway.baseUrl).searchParams.get('cursor'));
  return { gateway, cursors, client: clientOf(gateway.baseUrl) };
}

async function idsOf(client: GatewayClient, input?: ListScannerPackagesInput): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of client.listScannerPackages(input)) ids.push(...page.packages.map(({ id }) => id));
  return ids;
}

describe('listScannerPackages', () => {
  it('[B4] walks to the end, over an empty page too, with one limit for the whole walk', async () => {
    const { client, cursors, gateway } = await listing([
      { packages: [{ id: 'a' }], next: 'c1', prev: null },
      { packages: [], next: 'c2' },
      { packages: [{ id: 'b', source: { type: 'internal' }, unknown: 1 }], next: '' },
    ]);

    expect(await idsOf(client, { limit: 7 })).toEqual(['a', 'b']);
    expect(cursors()).toEqual([null, 'c1', 'c2']);
    expect(gateway.requests.every((request) => request.path.includes('limit=7'))).toBe(true);
  });

  it.each([[{}], [{ next: null }], [{ next: '' }]])('[B4] ends at %o', async (end) => {
    const { client, gateway } = await listing([{ packages: [{ id: 'a' }], ...end }]);

    expect(await idsOf(client)).toEqual(['a']);
    expect(gateway.requests).toHaveLength(1);
  });

  it('sends every filter, lists repeated', async () => {
    const { client, gateway } = await listing([]);
    const filters = {
      search: 'a b',
      ascending: true,
      sortBy: 'created_at',
      published: true,
      direction: 'request',
      source: 'vendor',
      type: 't',
      packaged: false,
      active: true,
      groupId: 'g',
      endpoint: 'e',
      enabledForProject: 'p1',
      tags: ['x', 'y'],
      addedToProjectId: 'p2',
      accessibleToProjectId: 'p3',
      availableToProjectId: 'p4',
      packageId: ['k1', 'k2'],
      mode: 'm',
    } as const;

    await idsOf(client, filters);

    const query = new URL(gateway.requests[0]?.path ?? '', gateway.baseUrl).searchParams;
    for (const [name, value] of Object.entries(filters)) {
      expect([name, query.getAll(name)]).toEqual([name, [value].flat().map(String)]);
    }
    expect(query.get('limit')).toBe('100');
  });

  it('takes a page whose packages have odd fields that no rule matches on, as they came', async () => {
    const odd = { version: '2026-04', notes: ['new'] };
    const names = 'projectId availableUpdate availability scannerCounts scannerIds shared vendored'.split(' ');
    const packages = [{ id: 'a', name: 'one', ...Object.fromEntries(names.map((name) => [name, odd])) }, { id: 'b' }];
    const { client } = await listing([{ packages, prev: odd }]);

    const pages: unknown[] = [];
    for await (const page of client.listScannerPackages()) pages.push(page.packages);

    expect(pages).toEqual([packages]);
  });

  it.each([
    ['name', { id: 'a', name: {} }],
    ['direction', { id: 'a', direction: ['request'] }],
    ['source', { id: 'a', source: { type: {} } }],
    ['id', { id: 7 }],
  ])('refuses a page whose %s is odd: a rule matches on it, or it tells packages apart', async (field, odd) => {
    const page = { packages: [odd] };
    const { client } = await listing([page, page]);

    expect(await thrownBy(() => idsOf(client))).toMatchObject({
      reason: 'wrong-shape',
      message: expect.stringContaining(field),
    });
  });

  it('refuses a next that is no cursor: the walk would end early', async () => {
    const page = { packages: [{ id: 'a' }], next: { row: 10 } };
    const { client } = await listing([page, page]);

    expect(await thrownBy(() => idsOf(client))).toMatchObject({ reason: 'wrong-shape' });
  });

  // The address itself used to go out as the cursor, and the gateway refused it.
  it.each([
    ['of the gateway', (baseUrl: string) => `${baseUrl}/backend/v1/scanner-packages?limit=10&cursor=c%2F1%3D`],
    ['without a host', () => '/backend/v1/scanner-packages?cursor=c%2F1%3D&limit=10'],
    ['that is a query alone', () => '?cursor=c%2F1%3D'],
  ])('takes the cursor out of an address %s', async (_what, addressAt) => {
    const { gateway } = await listing([]);
    const next = addressAt(gateway.baseUrl);
    const walked = await listing([
      { packages: [{ id: 'a' }], next },
      { packages: [{ id: 'b' }], prev: next },
    ]);

    expect(await idsOf(walked.client)).toEqual(['a', 'b']);
    expect(walked.cursors()).toEqual([null, 'c/1=']);
    expect(walked.gateway.requests[1]?.path).toContain('limit=100');
  });

  it('never calls the host of such an address: its cursor goes to the gateway', async () => {
    const trap = await answering(200, { packages: [] });
    const { client, cursors } = await listing([{ packages: [], next: `${trap.baseUrl}/backend/v1/steal?cursor=1` }]);

    await idsOf(client);

    expect(cursors()).toEqual([null, '1']);
    expect(trap.connections()).toBe(0);
  });

  it.each(['https://gateway.example/page/2', '/page/2', '?cursor=', '?cursor=a&cursor=b', 'a?cursor=b', 'http://['])(
    'takes %s for a cursor like any other: it holds none, or more than one',
    async (next) => {
      const { client, cursors } = await listing([{ packages: [], next }]);

      await idsOf(client);

      expect(cursors()).toEqual([null, next]);
    },
  );

  it('[B3] repeats a page that was cut off from the same cursor, and never takes a partial walk for the whole', async () => {
    const gateway = await server((socket, request) => {
      if (request.number === 1) sendJson(socket, 200, { packages: [{ id: 'a' }], next: 'c1' });
      else if (request.number === 2) socket.destroy();
      else if (request.number === 3) sendJson(socket, 200, { packages: [{ id: 'b' }], next: 'c2' });
      else sendJson(socket, 429, {});
    });
    const ids: string[] = [];

    const error = await thrownBy(async () => {
      for await (const page of clientOf(gateway.baseUrl).listScannerPackages()) ids.push(page.packages[0]?.id ?? '');
    });

    expect(ids).toEqual(['a', 'b']);
    expect(error).toBeInstanceOf(BadStatusError);
    expect(gateway.requests.map((request) => /cursor=(\w+)/.exec(request.path)?.[1])).toEqual([
      undefined,
      'c1',
      'c1',
      'c2',
    ]);
  });

  it('takes a page of two megabytes, if a single resource is refused', async () => {
    const big = 'x'.repeat(2 * 1024 * 1024);
    const { client } = await listing([{ packages: [{ id: 'a', description: big }] }]);
    const single = await answering(200, { project: { id: 'p', description: big } });

    expect(await idsOf(client)).toEqual(['a']);
    expect(await thrownBy(() => clientOf(single.baseUrl).getProject({ project: 'p' }))).toMatchObject({
      reason: 'too-big',
    });
  });
});
