import { describe, expect, it } from 'vitest';
import {
  BadBodyError,
  classifyFailure,
  GatewayError,
  fileForm,
  InvalidInputError,
} from '#shared/gateway-client/index.ts';
import type { GatewayClient, RequestInfo } from '#shared/gateway-client/index.ts';
import { answering, canary, clientOf, server, thrownBy, uuid } from './clients.ts';
import { sendJson } from './raw-server.ts';

describe('the operations', () => {
  it('reads a project by a name that needs encoding, as it was, and keeps what it does not know', async () => {
    const project = { id: 'p1', name: 'a/b', providerCount: 3, extra: { kept: true }, adminCount: '2', config: null };
    const gateway = await answering(200, { project, note: 'kept' });

    const answer = await clientOf(`${gateway.baseUrl}/tenant/`).getProject({
      project: 'a/b ü',
      configAt: '2026-11-20T22:00:00+01:00',
    });

    expect(answer).toEqual({ project, note: 'kept' });
    expect(gateway.requests[0]).toMatchObject({
      method: 'GET',
      path: '/tenant/backend/v1/projects/a%2Fb%20%C3%BC?configAt=2026-11-20T22%3A00%3A00%2B01%3A00',
      headers: { authorization: `Bearer ${canary}`, 'accept-encoding': 'identity', 'user-agent': 'gateway-autopilot' },
    });
  });

  it('reads a run, and refuses an answer about another run', async () => {
    const gateway = await answering(200, { campaignRun: { id: uuid, status: 'complete', odd: 1 }, providers: {} });
    const client = clientOf(gateway.baseUrl);

    expect(await client.readCampaignRun({ campaignRunId: uuid })).toMatchObject({
      campaignRun: { status: 'complete' },
    });
    expect(gateway.requests[0]).toMatchObject({ method: 'GET', path: `/backend/v1/campaign-runs/${uuid}` });
    const other = client.readCampaignRun({ campaignRunId: '019ba000-0000-7000-8000-00000000dead' });
    expect(await thrownBy(() => other)).toBeInstanceOf(BadBodyError);
  });

  it('reads a campaign or a project whose id comes back in capitals', async () => {
    const gateway = await answering(200, { campaign: { id: uuid.toUpperCase() }, project: { id: uuid.toUpperCase() } });
    const client = clientOf(gateway.baseUrl);

    expect(await client.getCampaign({ campaignId: uuid })).toMatchObject({ campaign: { id: uuid.toUpperCase() } });
    expect(await client.getProject({ project: uuid })).toMatchObject({ project: { id: uuid.toUpperCase() } });
  });

  // The counters of another campaign used to settle a start.
  it('[E29] refuses an answer about another campaign, or about another project than the uuid names', async () => {
    const another = uuid.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const gateway = await answering(200, {
      campaign: { id: another, runCount: 4 },
      project: { id: another, name: 'chat-app' },
    });
    const client = clientOf(gateway.baseUrl);

    const errors = [
      await thrownBy(() => client.getCampaign({ campaignId: uuid })),
      await thrownBy(() => client.getProject({ project: uuid })),
    ];

    for (const error of errors) expect(error).toBeInstanceOf(BadBodyError);
    expect(errors).toMatchObject([
      { reason: 'wrong-shape', message: expect.stringContaining('campaign.id is not the one that was asked for') },
      { reason: 'wrong-shape', message: expect.stringContaining('project.id is not the one that was asked for') },
    ]);
  });

  it('changes a run: preserve as given, startAt in UTC, absent fields absent', async () => {
    const gateway = await answering(200, { message: 'ok' });
    const client = clientOf(gateway.baseUrl);

    await client.updateCampaignRun({ campaignRunId: uuid, preserve: true, startAt: '2026-11-20T22:00:00+01:00' });
    await client.updateCampaignRun({ campaignRunId: uuid, preserve: 'true', status: 'running', name: 'nightly' });

    expect(gateway.requests.map((request) => JSON.parse(request.body))).toEqual([
      { preserve: true, startAt: '2026-11-20T21:00:00.000Z' },
      { name: 'nightly', preserve: 'true', status: 'running' },
    ]);
    expect(gateway.requests[0]).toMatchObject({ method: 'PATCH', path: `/backend/v1/campaign-runs/${uuid}` });
    expect(gateway.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('creates a dataset on a connection of its own each time, with the ids for the support of the vendor', async () => {
    const gateway = await answering(201, { id: 'ds-1', createdAt: 'now' });
    const client = clientOf(gateway.baseUrl);
    const input = { fileId: 'f', name: 'n', scannerVersions: ['2026-02'], requestId: 'r-1', idempotencyKey: 'k-1' };

    const answers = [await client.createDataset(input), await client.createDataset(input)];

    expect(answers[0]).toEqual({ id: 'ds-1', createdAt: 'now' });
    expect(gateway.requests.map((request) => request.connection)).toEqual([1, 2]);
    expect(gateway.requests[0]?.headers).toMatchObject({
      'x-request-id': 'r-1',
      'idempotency-key': 'k-1',
      connection: 'close',
    });
    expect(JSON.parse(gateway.requests[0]?.body ?? '')).toEqual({
      fileId: 'f',
      name: 'n',
      scannerVersions: ['2026-02'],
    });
  });

  it('creates a dataset of a form: its own type, its length, and its bytes as they are', async () => {
    const gateway = await answering(200, { id: 'ds-1' });
    const form = fileForm({ name: 'n' }, { name: 'ü.csv', content: Buffer.from([0, 13, 10, 255]) });

    await clientOf(gateway.baseUrl).createDataset({ name: 'n', form, idempotencyKey: 'k-1' });

    const [request] = gateway.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/backend/v1/datasets' });
    expect(request?.headers).toMatchObject({
      'content-type': form.contentType,
      'content-length': String(form.body.length),
      'idempotency-key': 'k-1',
      connection: 'close',
    });
    expect(Buffer.from(request?.body ?? '', 'latin1')).toEqual(form.body);
  });

  it('reuses connections for reads', async () => {
    const gateway = await answering(200, { endpoints: [] });
    const client = clientOf(gateway.baseUrl);

    for (let calls = 0; calls < 10; calls += 1) await client.listEndpoints();

    // Two, because undici frees a socket one turn of the event loop after its answer.
    expect(gateway.connections()).toBeLessThanOrEqual(2);
  });

  it('paces each request and tells the logger about each, and survives a logger that throws', async () => {
    const gateway = await server((socket, request) => {
      sendJson(socket, request.number === 1 ? 500 : 200, { endpoints: [] });
    });
    const seen: RequestInfo[] = [];
    let paced = 0;
    const client = clientOf(gateway.baseUrl, {
      pace: async () => {
        paced += 1;
      },
      onRequest: (info) => {
        seen.push(info);
        throw new Error('the logger is broken');
      },
    });

    await client.listEndpoints({ groupId: 'private-value', requestId: 'r-1' });

    expect(paced).toBe(2);
    expect(seen.map((info) => [info.attempt, info.status, info.requestId, info.pathTemplate])).toEqual([
      [1, 500, 'r-1', '/backend/v1/endpoints'],
      [2, 200, 'r-1', '/backend/v1/endpoints'],
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/private-value|canary/);
  });
});

/**
 * An object, a list and a number each stand where the interface shows a text, in every field that
 * no decision of a worker reads.
 */
const odd = { by: 'a tool', at: [2026] };

// One of these used to refuse the whole project, page or list of endpoints.
describe('a field that no decision depends on', () => {
  const entry = { id: 's1', version: odd, mode: [odd], enabled: odd, blocking: odd, force: odd, flagMessage: odd };
  const provider = { id: 'main', name: odd, type: odd, enabled: odd, default: odd, capabilities: odd };
  const config = { packages: [entry], scanners: [entry], providers: [provider], providerRouting: odd };

  it.each<[string, object, (client: GatewayClient) => Promise<unknown>]>([
    [
      'a project',
      {
        project: {
          id: 'p1',
          name: 'chat-app',
          config,
          ...odds('type botType chatbotId createdAt createdBy updatedAt adminCount adminRoleId memberCount'),
          ...odds('memberRoleId providerCount scannerCount tokenCount'),
        },
      },
      (client) => client.getProject({ project: 'chat-app' }),
    ],
    [
      'a campaign',
      {
        campaign: {
          id: uuid,
          ...odds('name description attacks createdAt createdBy lastRun lastRunAt runCount vendored'),
        },
      },
      (client) => client.getCampaign({ campaignId: uuid }),
    ],
    [
      'an endpoint',
      { endpoints: [{ id: 'e1', ...odds('name chatbotId groupId config createdAt') }] },
      (client) => client.listEndpoints(),
    ],
  ])('may be anything in %s: it is kept as it came', async (_what, answer, read) => {
    const gateway = await answering(200, answer);

    expect(await read(clientOf(gateway.baseUrl))).toEqual(answer);
    expect(gateway.requests).toHaveLength(1);
  });

  it.each([
    ['the id of a project', { project: { id: 7 } }],
    ['the name of a project, which tells its runs', { project: { id: 'p', name: odd } }],
    ['the configuration of a project', { project: { id: 'p', config: 'none' } }],
    ['a list of a configuration', { project: { id: 'p', config: { scanners: odd } } }],
    ['the id of an entry, which compares it', { project: { id: 'p', config: { scanners: [{ id: odd }] } } }],
  ])('is no model for %s', async (_what, answer) => {
    const gateway = await answering(200, answer);

    const error = await thrownBy(() => clientOf(gateway.baseUrl).getProject({ project: 'p' }));

    expect(error).toMatchObject({ name: 'BadBodyError', reason: 'wrong-shape' });
  });
});

function odds(names: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, odd]));
}

describe('[A36] the id of a dataset', () => {
  it.each([
    ['500 KB', 'x'.repeat(500_000), 'x'.repeat(80)],
    ['blanks', '   ', '   '],
    ['a terminal escape', '\u001b]52;c;aGk=\u0007', String.raw`\u001b]52;c;aGk=\u0007`],
    ['a mark that turns the text around', 'ds\u202e1', String.raw`ds\u202e1`],
  ])('that is %s counts as applied with an id that is not known', async (_what, id, shown) => {
    const gateway = await answering(200, { id });

    const error = await thrownBy(() => clientOf(gateway.baseUrl).createDataset({ name: 'n' }));

    if (!(error instanceof GatewayError)) throw error;
    expect(error.message).toContain(`id is no usable id: ${id.length} characters, ${shown}`);
    expect(error.message.length).toBeLessThan(500);
    expect(classifyFailure('post', error)).toMatchObject({
      applied: 'yes',
      next: 'park',
      reason: 'APPLIED_ID_UNKNOWN',
    });
    expect(gateway.requests).toHaveLength(1);
  });
});

describe('a pace', () => {
  it('that fails keeps the request from being sent, and says so', async () => {
    const gateway = await answering(200, { id: 'ds-1' });
    const closed = new Error('the gate is closed');
    const client = clientOf(gateway.baseUrl, { pace: () => Promise.reject(closed) });

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toMatchObject({ name: 'NotSentError', requestSent: false, cause: closed });
    expect(gateway.connections()).toBe(0);
  });

  it('that takes all the time of a call leaves no time for a repeat', async () => {
    const gateway = await answering(401, {});
    let waits = 0;
    const pace = () => new Promise<void>((resolve) => setTimeout(resolve, (waits += 1) === 1 ? 0 : 450));
    const tokenProvider = { get: async () => 'old-token', refresh: async () => 'new-token' };
    const client = clientOf(gateway.baseUrl, { pace, tokenProvider, timeouts: { totalMs: 600 } });

    const error = await thrownBy(() => client.createDataset({ name: 'n' }));

    expect(error).toMatchObject({ name: 'NotSentError', requestSent: false });
    expect(gateway.requests).toHaveLength(1);
  });
});

describe('input that breaks a rule', () => {
  it('is refused before any request', async () => {
    const gateway = await answering(200, {});
    const client = clientOf(gateway.baseUrl);

    const errors = await Promise.all(
      [
        () => client.getCampaign({ campaignId: '../projects' }),
        () => client.getCampaign({ campaignId: uuid, configAt: '2026-11-20T22:00:00' }),
        () => client.getProject({ project: '..' }),
        () => client.getProject({ project: '' }),
        () => client.updateCampaignRun({ campaignRunId: 'run', status: 'running' }),
        () => client.updateCampaignRun({ campaignRunId: uuid }),
        () => client.updateCampaignRun({ campaignRunId: uuid, status: '' }),
        () => client.updateCampaignRun({ campaignRunId: uuid, startAt: '2026-11-20 22:00' }),
        () => client.createDataset({}),
        () => client.createDataset({ name: 'x'.repeat(40_000) }),
        () => client.createDataset({ name: 'x'.repeat(40_000), form: { contentType: 'a/b', body: Buffer.alloc(1) } }),
        () => client.createDataset({ name: 'x', requestId: 'a\r\nb: c' }),
      ].map(thrownBy),
    );

    for (const error of errors) {
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error).toMatchObject({ requestSent: false, retryable: false });
    }
    expect(gateway.connections()).toBe(0);
  });
});
