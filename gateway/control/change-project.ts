/** Changes a project by hand; every configuration it ever had stays readable by `configAt`. */
import type { Context } from 'hono';
import * as z from 'zod';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { notFound } from '../http/problem.ts';
import type { GatewayParts } from '../parts.ts';

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

const schema = z
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

/** Changes the fields that are sent; inside `config`, each list that is sent replaces the whole list. */
export async function changeProject(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
  const { config: configChange, ...change } = await readJson(context, schema);
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
