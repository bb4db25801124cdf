import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type ProfileName, profileNames } from '#gateway/model/profile.ts';
import { servedOperations } from '#gateway/model/resources.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { peerToken, startPeer } from '../../peer/peer.ts';
import { peerIds } from '../../peer/seed.ts';
import { aDataset, type Body, runningGateway, token } from './running-gateway.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const runFile = promisify(execFile);
const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');

/** Offline and without telemetry: only the embedded gateway is called. */
function redoclyWith(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  return runFile(process.execPath, [redocly, ...args], { cwd: root, env });
}

test('the document and the router name the same operations', async () => {
  const document = await readFile(join(root, 'docs/openapi.yaml'), 'utf8');
  const documented = [...document.matchAll(/operationId: (?<name>\w+)/gu)].map((match) => match.groups?.name);
  const paths = [...document.matchAll(/^ {2}(?<path>\/backend\S+):$/gmu)].map((match) => match.groups?.path);

  expect(new Set(documented)).toEqual(new Set(Object.keys(servedOperations)));
  expect(new Set(paths)).toEqual(
    new Set(Object.values(servedOperations).map(({ path }) => path.replaceAll(/:(?<name>\w+)/gu, '{$<name>}'))),
  );
});

/** A schema of the document, as far as these tests read it. */
interface SchemaNode {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode | true;
  readonly 'x-embedded-gateway'?: Readonly<Record<string, SchemaNode>>;
}

/** A filter of the listing, and the words that a profile takes, if it has a list of them. */
interface ParameterNode {
  readonly name: string;
  readonly 'x-embedded-gateway'?: { readonly real: unknown };
}

const documentOf = z.object({
  components: z.object({ schemas: z.record(z.string(), z.custom<SchemaNode>()) }),
  paths: z.object({
    '/backend/v1/scanner-packages': z.object({ get: z.object({ parameters: z.array(z.custom<ParameterNode>()) }) }),
  }),
});

/** The schemas of the document by name and the filters of its listing, with every reference in its place. */
async function bundle() {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  await redoclyWith(['bundle', 'docs/openapi.yaml', '--dereferenced', '--output', file]);
  const { components, paths } = documentOf.parse(JSON.parse(await readFile(file, 'utf8')));
  await rm(folder, { recursive: true });
  return { schemas: components.schemas, filters: paths['/backend/v1/scanner-packages'].get.parameters };
}

const bundled = bundle();

const resources: Readonly<Record<string, { readonly path: string; readonly from: (body: Body) => unknown }>> = {
  Project: { path: 'projects/chat-app', from: ({ project }) => project },
  Campaign: { path: `campaigns/${seedIds.campaigns.chatBotNightly}`, from: ({ campaign }) => campaign },
  Endpoint: { path: 'endpoints', from: ({ endpoints }) => endpoints?.[0] },
  ScannerPackage: { path: 'scanner-packages', from: ({ packages }) => packages?.[0] },
  CampaignRunShown: {
    path: `campaign-runs/${seedIds.campaignRuns.nightly[0]}`,
    from: ({ campaignRun }) => campaignRun,
  },
};

describe('docs/openapi.yaml on what is answered', () => {
  // Every field of every resource used to be required: a client made of the document refused an
  // answer without one.
  test.each(Object.keys(resources))('promises no field of %s, as the interface', async (name) => {
    const found = (await bundled).schemas[name];

    expect(found).toBeDefined();
    expect(JSON.stringify(found)).not.toContain('"required"');
  });

  test.each(Object.entries(resources))(
    'lists exactly what the embedded gateway answers: %s',
    async (name, resource) => {
      const gateway = await runningGateway();
      const answer = await gateway.get(`/backend/v1/${resource.path}`);
      await gateway.close();

      const listed = (await bundled).schemas[name];

      expect(placesIn(resource.from(answer.body), listed)).toEqual(placesOf(listed));
      expect(schemaOf(listed).safeParse(resource.from(answer.body)).error).toBeUndefined();
    },
  );
});

/** What the document says, as a schema that judges. */
function schemaOf(node: SchemaNode | undefined) {
  return z.fromJSONSchema(z.custom<Parameters<typeof z.fromJSONSchema>[0]>().parse(node));
}

/** The names of all fields of a schema, with those inside them. */
function placesOf(node: SchemaNode | true | undefined): readonly string[] {
  if (node === undefined || node === true) return [];
  const inside = Object.entries(node.properties ?? {}).flatMap(([field, inner]) => [
    field,
    ...placesOf(inner).map((place) => `${field}.${place}`),
  ]);
  return [...inside, ...placesOf(node.items).map((place) => `[].${place}`)].toSorted();
}

/**
 * The names of all fields of a value in the places that a schema names, a list by its first item.
 */
function placesIn(value: unknown, node: SchemaNode | true | undefined): readonly string[] {
  if (node === undefined || node === true || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return placesIn(value[0], node.items).map((place) => `[].${place}`);
  if (node.properties === undefined) return [];
  return Object.entries(value)
    .flatMap(([field, inner]) => [
      field,
      ...placesIn(inner, node.properties?.[field]).map((place) => `${field}.${place}`),
    ])
    .toSorted();
}

const values: readonly unknown[] = [
  ...'text cancelled 2026-02-01T00:00:00Z 2026-02-01T00:00:00 2026-13-01T00:00:00Z'.split(' '),
  ...[0, 100, 101].map((length) => 'x'.repeat(length)),
  ...'2026-02 2026-02-01T00:00:00Z v-2'.split(' ').map((version) => [version]),
  [''],
  [7],
  ['v 2'],
  ' ',
  aDataset.fileId,
  true,
  7,
  null,
  {},
];

/** A good body with each value in each field and in one that is not known, and without the field, beside the field. */
function bodiesOf(fields: readonly string[], good: object): readonly (readonly [field: string, body: object])[] {
  return [...fields, 'filed']
    .flatMap((field) => [...values, undefined].map((value) => [field, { ...good, [field]: value }] as const))
    .filter(([, body]) => JSON.stringify(body) !== '{}'); // a change of nothing is taken by the real one
}

const now = () => new Date('2026-01-01T00:00:00Z');
const run = seedIds.campaignRuns.smoke[0] ?? '';

const embedded = async (profile: ProfileName) => {
  const gateway = await runningGateway({ profile, now });
  return { url: gateway.url, close: () => gateway.close(), token };
};

/** The gateways of our own, each with the profile that it is as strict as. A peer that takes too much would hide a mistake of ours. */
const judged = [
  ...profileNames.map(
    (profile) => [`the embedded gateway, ${profile}`, profile, async () => embedded(profile)] as const,
  ),
  [
    'the strict peer',
    'real',
    async () => {
      const peer = await startPeer({ now });
      const { nightly: campaignId } = peerIds.campaigns;
      peer.addRun({ id: run, campaignId, startAt: new Date('2026-12-01T00:00:00Z') });
      return { url: peer.url, close: () => peer.close(), token: peerToken };
    },
  ] as const,
];

// The document used to say nothing of what the embedded gateway demands.
describe.each(judged)('docs/openapi.yaml on what is sent: %s', (_name, profile, start) => {
  test.each([
    ['NewDataset', 'POST', '/backend/v1/datasets', aDataset],
    ['CampaignRunChange', 'PATCH', `/backend/v1/campaign-runs/${run}`, { status: 'cancelled' }],
  ] as const)('%s: takes what it says and no more, and names the field', async (name, method, path, good) => {
    const demanded = (await bundled).schemas[name]?.['x-embedded-gateway']?.[profile];
    const says = schemaOf(demanded);
    const gateway = await start();
    const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
    const wrong: string[] = [];

    for (const [field, changed] of bodiesOf(Object.keys(demanded?.properties ?? {}), good)) {
      const sent = { method, headers, body: JSON.stringify(changed) };
      const answer = await fetch(gateway.url + path, sent);
      const named = answer.status === 200 || (await answer.text()).includes(`"loc":["body","${field}"`);
      const meant = says.safeParse(JSON.parse(sent.body)).success ? 200 : 422;
      if (answer.status !== meant || !named) wrong.push(`${answer.status}, not ${meant}: ${sent.body}`);
    }
    await gateway.close();

    expect(wrong).toEqual([]);
  });
});

describe.each(profileNames)('docs/openapi.yaml on filters, profile %s', (profile) => {
  test('each filter takes the words that stand beside it', async () => {
    const listed = (await bundled).filters.filter((filter) => filter['x-embedded-gateway'] !== undefined);
    const gateway = await runningGateway({ profile });
    const statusOf = async (name: string, value: string) =>
      (await gateway.get(`/backend/v1/scanner-packages?${name}=${value}`)).status;

    for (const { name, ...filter } of listed) {
      const words = filterWords.parse(filter['x-embedded-gateway']?.real);
      for (const word of words) expect(await statusOf(name, word), `${name}=${word}`).toBe(200);
      expect(await statusOf(name, 'elsewhere'), name).toBe(profile === 'real' ? 422 : 200);
    }
    await gateway.close();

    expect(listed).toHaveLength(6);
  });
});

const oneOrMore = z.union([
  z.object({ enum: z.array(z.string()) }).transform((schema) => schema.enum),
  z.object({ format: z.literal('uuid') }).transform(() => [aDataset.fileId]),
]);
const filterWords = z.union([oneOrMore, z.object({ items: oneOrMore }).transform(({ items }) => items)]);
