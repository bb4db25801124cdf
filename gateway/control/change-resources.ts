/**
 * Changes campaigns, projects and packages by hand: what a vendor or a colleague does at a real
 * gateway.
 */
import type { Context } from 'hono';
import * as z from 'zod';
import { type GatewayEnvironment, type GatewayParts, notFound } from '../http/environment.ts';
import { offsetInstant, readJson, uuidInPath } from '../http/request-input.ts';
import {
  campaignFields,
  type Config,
  configEntryFields,
  configFields,
  packageFields,
  projectFields,
  usualCampaign,
  usualPackage,
} from '../model/resources.ts';

const campaignChange = campaignFields.omit({ id: true, createdAt: true }).partial();

/**
 * Changes the fields that are sent; an unknown id makes a new campaign. Its configuration's history
 * is kept.
 */
export async function changeCampaign(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const id = uuidInPath(context, 'id');
  const change = await readJson(context, campaignChange);
  const at = now();
  store.campaignRuns.settle(at);
  const known = store.campaigns.get(id) ?? { ...usualCampaign, id, createdAt: at.toISOString() };
  const campaign = { ...known, ...change };
  const { attacks, description, name } = campaign;
  store.atomically(() => {
    store.campaigns.put(campaign);
    store.campaignConfigs.record(id, at, { attacks, description, name });
  });
  return context.json(campaign);
}

const projectChange = projectFields
  .pick({ botType: true, friendlyId: true, memberCount: true, name: true, type: true })
  .extend({ config: configFields.partial() })
  .partial();

/**
 * Changes the fields that are sent; inside `config`, each list that is sent replaces the whole
 * list. Every configuration that the project ever had stays readable by `configAt`.
 */
export async function changeProject(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const { config: configChange, ...change } = await readJson(context, projectChange);
  return context.json(changedProject(context, change, configChange, { store, now }));
}

/** Without the defaults of an entry: a field that is not sent stays. */
const scannerChange = z.partialRecord(configEntryFields.keyof().exclude(['id']), z.string());

/** Changes the fields that are sent of one scanner of a project: `{"enabled": "false"}` switches it off. */
export async function changeScanner(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const change = await readJson(context, scannerChange);
  const scanner = context.req.param('scanner');
  const { scanners = [] } = store.findProject(context.req.param('id') ?? '')?.config ?? {};
  if (!scanners.some(({ id }) => id === scanner)) throw notFound('scanner');
  const changed = scanners.map((one) => (one.id === scanner ? { ...one, ...change } : one));
  return context.json(changedProject(context, {}, { scanners: changed }, { store, now }));
}

function changedProject(
  context: Context<GatewayEnvironment>,
  change: Omit<z.output<typeof projectChange>, 'config'>,
  configChange: Partial<Config> | undefined,
  { store, now }: Pick<GatewayParts, 'store' | 'now'>,
) {
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
  return project;
}

const packageChange = packageFields.omit({ id: true, updatedAt: true }).extend({ createdAt: offsetInstant }).partial();

/** Changes the fields that are sent and moves `updatedAt`; an unknown id makes a new package. */
export async function changeScannerPackage(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const id = context.req.param('id') ?? '';
  const change = await readJson(context, packageChange);
  const updatedAt = now().toISOString();
  const known = store.scannerPackages.get(id) ?? { ...usualPackage, id, createdAt: updatedAt };
  const changed = { ...known, ...change, updatedAt };
  store.scannerPackages.put(changed);
  return context.json(changed);
}

/** Deletes it; project configurations that name it keep doing so. */
export function deleteScannerPackage(context: Context<GatewayEnvironment>, { store }: GatewayParts): Response {
  const id = context.req.param('id') ?? '';
  if (!store.scannerPackages.delete(id)) throw notFound('scanner package');
  return context.json({ id });
}
