/** Interface 4.6: registers a dataset. Every accepted request makes one more: there is no key to tell a repetition by. */
import * as z from 'zod';
import type { Context } from 'hono';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import type { GatewayParts } from '../parts.ts';
import { randomBytes } from 'node:crypto';

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');

/** The operation, which answers the id of the new dataset; built once, because its schema depends on how strict the gateway is. */
export function createDataset({ store, now, isStrict }: GatewayParts) {
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

/** The body of a POST. Gateways in the field take several versions as a list; the interface shows a text. */
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

/** New ids: UUIDv7, so that ids sort by creation, as gateways in the field do it. */

/** A UUIDv7 for that instant. */
export function newId(now: Date): string {
  const time = Math.max(0, now.getTime()).toString(16).padStart(12, '0').slice(-12);
  const random = randomBytes(10);
  const versioned = ((random.readUInt16BE(0) & 0x0fff) | 0x7000).toString(16);
  const variant = ((random.readUInt16BE(2) & 0x3fff) | 0x8000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${random.toString('hex', 4)}`;
}
