/** Interface 4.6: registers a dataset. Every accepted request makes one more: there is no key to tell a repetition by. */
import type { Context } from 'hono';
import * as z from 'zod';
import type { GatewayEnvironment } from '../http/environment.ts';
import { readJson } from '../http/json-body.ts';
import { newId } from '../identifiers.ts';
import type { GatewayParts } from '../parts.ts';

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');
const schema = z.strictObject({
  fileId: word,
  name: word.optional(),
  scannerId: word.optional(),
  scannerPackageId: word.optional(),
  scannerVersions: z.union([word, z.array(word)]).optional(),
});

/** Answers the id of the new dataset. */
export async function createDataset(
  context: Context<GatewayEnvironment>,
  { store, now }: GatewayParts,
): Promise<Response> {
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
}
