/**
 * Interface 4.6: registers a dataset. Every accepted request makes one more: there is no key to
 * tell a repetition by.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { type GatewayEnvironment, type GatewayParts, notFound, refusal } from '../http/environment.ts';
import { isForm, readForm, readJson, uuidInPath } from '../http/request-input.ts';
import { datasetBody, datasetForm, runChangeBody } from './bodies.ts';

/** Answers the id of the new dataset. */
export async function acceptDataset(
  context: Context<GatewayEnvironment>,
  { store, now, profile }: GatewayParts,
): Promise<Response> {
  const body = isForm(context)
    ? await readForm(context, datasetForm[profile])
    : await readJson(context, datasetBody[profile]);
  const createdAt = now();
  const id = newId(createdAt);
  store.datasets.put({
    id,
    file: body.file ?? null,
    fileId: body.fileId ?? null,
    name: body.name ?? null,
    scannerId: body.scannerId ?? null,
    scannerPackageId: body.scannerPackageId ?? null,
    scannerVersions: body.scannerVersions ?? null,
    createdAt: createdAt.toISOString(),
    requestId: context.get('requestId'),
  });
  return context.json({ id });
}

/** A UUIDv7 for that instant, so that ids sort by creation, as gateways in the field do it. */
export function newId(now: Date): string {
  const time = Math.max(0, now.getTime()).toString(16).padStart(12, '0').slice(-12);
  const random = randomBytes(10);
  const versioned = ((random.readUInt16BE(0) & 0x0fff) | 0x7000).toString(16);
  const variant = ((random.readUInt16BE(2) & 0x3fff) | 0x8000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${random.toString('hex', 4)}`;
}

/** Interface 4.5: changes a campaign run's name, retention, start time and status. */
export async function acceptRunChange(context: Context<GatewayEnvironment>, parts: GatewayParts): Promise<Response> {
  const { store, now } = parts;
  const id = uuidInPath(context, 'campaignRunId');
  const body = await readJson(context, runChangeBody(parts));
  const at = now();
  const run = store.campaignRuns.get(id, at);
  if (run === undefined) throw notFound('campaign run');
  const made = { at, requestId: context.get('requestId'), by: 'api', body } as const;
  if (store.campaignRuns.change(run, body, made) === undefined)
    throw refusal(409, `the campaign run is already ${run.status}`);
  return context.json({ message: 'Campaign run updated' });
}
