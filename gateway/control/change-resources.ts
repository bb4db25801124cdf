/** Changes a campaign by hand: its counters, or its configuration, of which the history is kept. */
import type { Context } from 'hono';
import * as z from 'zod';
import { type GatewayEnvironment, type GatewayParts, notFound } from '../http/environment.ts';
import { parseInstant, readJson, uuidInPath } from '../http/request-input.ts';
import type { CampaignResource, StoredScannerPackage } from '../model/resources.ts';

const campaignChange = z
  .strictObject({
    attacks: z.array(z.json()),
    createdBy: z.string(),
    description: z.string(),
    lastRun: z.string(),
    lastRunAt: z.string(),
    name: z.string(),
    runCount: z.int().min(0),
    vendored: z.boolean(),
  })
  .partial();

/** Changes the fields that are sent; an unknown id makes a new campaign. */
export async function changeCampaign(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const id = uuidInPath(context, 'id');
  const change = await readJson(context, campaignChange);
  const at = now();
  store.campaignRuns.settle(at);
  const known = store.campaigns.get(id);
  const campaign: CampaignResource = { ...(known ?? newCampaign(id, at.toISOString())), ...change };
  const { attacks, description, name } = campaign;
  store.atomically(() => {
    store.campaigns.put(campaign);
    store.campaignConfigs.record(id, at, { attacks, description, name });
  });
  return context.json(campaign);
}

function newCampaign(id: string, createdAt: string): CampaignResource {
  return {
    attacks: [],
    createdAt,
    createdBy: 'control',
    description: '',
    id,
    lastRun: '',
    lastRunAt: '',
    name: 'New campaign',
    runCount: 0,
    vendored: false,
  };
}

// Changes a project by hand; every configuration it ever had stays readable by `configAt`.

const entry = z.strictObject({
  blocking: z.string().default('true'),
  enabled: z.string().default('true'),
  flagMessage: z.string().default(''),
  force: z.string().default('false'),
  id: z.string().min(1),
  mode: z.string().default('block'),
  version: z.string().default(''),
});

const provider = z.strictObject({
  capabilities: z.string().default(''),
  default: z.string().default('false'),
  enabled: z.boolean().default(true),
  id: z.string().min(1),
  name: z.string().default(''),
  type: z.string().default(''),
});

const projectChange = z
  .strictObject({
    botType: z.string(),
    config: z
      .strictObject({
        packages: z.array(entry),
        providerRouting: z.string(),
        providers: z.array(provider),
        scanners: z.array(entry),
      })
      .partial(),
    friendlyId: z.string(),
    memberCount: z.int().min(0),
    name: z.string().min(1),
    type: z.string(),
  })
  .partial();

/**
 * Changes the fields that are sent; inside `config`, each list that is sent replaces the whole
 * list.
 */
export async function changeProject(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const { config: configChange, ...change } = await readJson(context, projectChange);
  const known = store.findProject(context.req.param('id') ?? '');
  if (known === undefined) throw notFound('project');

  const at = now();
  const config = { ...known.config, ...configChange };
  const counts = { providerCount: String(config.providers.length), scannerCount: String(config.scanners.length) };
  const project = { ...known, ...change, ...counts, config, updatedAt: at.toISOString() };
  store.atomically(() => {
    store.projects.put(project);
    if (configChange !== undefined) store.projectConfigs.record(project.id, at, config);
  });
  return context.json(project);
}

// Creates, changes and deletes scanner packages: what a vendor or a colleague does at a real
// gateway.

const instant = z.string().refine((text) => parseInstant(text) !== undefined, 'must be a date and time with an offset');
const packageChange = z
  .strictObject({
    availability: z.strictObject({ global: z.boolean(), projectIds: z.array(z.array(z.string())) }),
    availableUpdate: z.string(),
    createdAt: instant,
    direction: z.string(),
    groupId: z.string(),
    name: z.string(),
    packaged: z.boolean(),
    projectId: z.string(),
    published: z.boolean(),
    scannerCounts: z.record(z.string(), z.int()),
    scannerIds: z.array(z.string()),
    shared: z.boolean(),
    source: z.strictObject({ type: z.string() }),
    tags: z.array(z.string()),
    types: z.array(z.string()),
    vendored: z.boolean(),
  })
  .partial();

/** Changes the fields that are sent and moves `updatedAt`; an unknown id makes a new package. */
export async function changeScannerPackage(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const id = context.req.param('id') ?? '';
  const change = await readJson(context, packageChange);
  const updatedAt = now().toISOString();
  const changed = { ...(store.scannerPackages.get(id) ?? newPackage(id, updatedAt)), ...change, updatedAt };
  store.scannerPackages.put(changed);
  return context.json(changed);
}

/** Deletes it; project configurations that name it keep doing so. */
export function deleteScannerPackage(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const id = context.req.param('id') ?? '';
  if (!store.scannerPackages.delete(id)) throw notFound('scanner package');
  return context.json({ id });
}

function newPackage(id: string, createdAt: string): StoredScannerPackage {
  return {
    availability: { global: true, projectIds: [] },
    availableUpdate: '',
    createdAt,
    direction: 'request',
    groupId: '',
    id,
    name: 'New package',
    packaged: true,
    projectId: '',
    published: true,
    scannerCounts: {},
    scannerIds: [],
    shared: false,
    source: { type: 'internal' },
    tags: [],
    types: [],
    updatedAt: createdAt,
    vendored: false,
  };
}
