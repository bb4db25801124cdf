/**
 * Interface 4.6: registers a dataset. Every accepted request makes one more: there is no key to
 * tell a repetition by.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import * as z from 'zod';
import { type GatewayEnvironment, type GatewayParts, HttpProblem, notFound } from '../http/environment.ts';
import { parseInstant, readJson, uuidInPath } from '../http/request-input.ts';

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');

/**
 * The operation, which answers the id of the new dataset; built once, because its schema depends on
 * how strict the gateway is.
 */
export function acceptDataset({ store, now, isStrict }: GatewayParts) {
  const schema = newDatasetSchema(isStrict);
  return async (context: Context<GatewayEnvironment>): Promise<Response> => {
    const body = await readJson(context, schema);
    const createdAt = now();
    const id = newId(createdAt);
    store.datasets.put({
      id,
      fileId: body.fileId,
      name: body.name ?? null,
      scannerId: body.scannerId ?? null,
      scannerPackageId: body.scannerPackageId ?? null,
      scannerVersions: body.scannerVersions ?? null,
      createdAt: createdAt.toISOString(),
      requestId: context.get('requestId'),
    });
    return context.json({ id });
  };
}

/**
 * The body of a POST. Gateways in the field take several versions as a list; the interface shows a
 * text.
 */
function newDatasetSchema(isStrict: boolean) {
  const versions = isStrict ? word : z.union([word, z.array(word)]);
  return z.strictObject({
    fileId: word,
    name: word.optional(),
    scannerId: word.optional(),
    scannerPackageId: word.optional(),
    scannerVersions: versions.optional(),
  });
}

// New ids: UUIDv7, so that ids sort by creation, as gateways in the field do it.

/** A UUIDv7 for that instant. */
export function newId(now: Date): string {
  const time = Math.max(0, now.getTime()).toString(16).padStart(12, '0').slice(-12);
  const random = randomBytes(10);
  const versioned = ((random.readUInt16BE(0) & 0x0fff) | 0x7000).toString(16);
  const variant = ((random.readUInt16BE(2) & 0x3fff) | 0x8000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${random.toString('hex', 4)}`;
}

// Interface 4.5: changes a campaign run's name, retention, start time and status.

/** The operation; built once, because its schema depends on how the gateway was started. */
export function acceptRunChange(parts: GatewayParts) {
  const { store, now } = parts;
  const schema = campaignRunChangeSchema(parts);
  return async (context: Context<GatewayEnvironment>): Promise<Response> => {
    const id = uuidInPath(context, 'campaignRunId');
    const change = await readJson(context, schema);
    const run = store.campaignRuns.table.get(id);
    if (run === undefined) throw notFound('campaign run');

    const requestId = context.get('requestId');
    const result = store.campaignRuns.change(run, change, { at: now(), requestId, by: 'api', body: change });
    if ('refused' in result) {
      throw new HttpProblem(409, `the campaign run is already ${result.refused.status} and cannot start again`);
    }
    return context.json({ message: 'Campaign run updated' });
  };
}

const instant = z
  .string()
  .refine(
    (text) => parseInstant(text) !== undefined,
    'must be a date and time with an offset, such as 2026-02-01T00:00:00Z',
  );

/**
 * The four fields, each optional; `status` from the configured list, if there is one; `preserve` as
 * a boolean unless the gateway is strict.
 */
export function campaignRunFields({ policy, isStrict }: Pick<GatewayParts, 'policy' | 'isStrict'>) {
  const status = z
    .string()
    .refine(
      (text) => (policy.statuses === undefined ? text.trim() !== '' : policy.statuses.includes(text)),
      policy.statuses === undefined ? 'must not be empty' : `must be one of: ${policy.statuses.join(', ')}`,
    );
  return {
    name: word.optional(),
    preserve: (isStrict ? z.string() : z.union([z.string(), z.boolean()])).optional(),
    startAt: instant.optional(),
    status: status.optional(),
  };
}

/** The body of a PATCH: at least one of the four fields, nothing else. */
function campaignRunChangeSchema(parts: GatewayParts) {
  return z
    .strictObject(campaignRunFields(parts))
    .refine((change) => Object.keys(change).length > 0, 'one of name, preserve, startAt and status is required');
}
