/** Creates, changes and deletes scanner packages: what a vendor or a colleague does at a real gateway. */
import type { Context } from 'hono';
import * as z from 'zod';
import type { GatewayEnvironment } from '../http/environment.ts';
import { parseInstant } from '../http/query.ts';
import { readJson } from '../http/json-body.ts';
import { notFound } from '../http/problem.ts';
import type { GatewayParts } from '../parts.ts';
import type { StoredScannerPackage } from '../resources.ts';

const instant = z.string().refine((text) => parseInstant(text) !== undefined, 'must be a date and time with an offset');
const schema = z
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
  const change = await readJson(context, schema);
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
