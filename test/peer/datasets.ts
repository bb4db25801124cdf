/** `POST /backend/v1/datasets`, as JSON and as multipart. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { name, readFields, time, uuid } from './fields.ts';
import { objectOf, type Part, type PeerRequest, type SentFile } from './request.ts';
import type { PeerDataset, PeerState } from './state.ts';

/** A version of a scanner: a uuid, a time or a word. */
const version = z.string().refine((value) => time.safeParse(value).success || /^[a-zA-Z0-9-_]{1,100}$/.test(value));

const file = z.custom<SentFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value);

const versions = z.array(version);

/** Makes a dataset. */
export function addDataset(state: PeerState, { body }: PeerRequest): { readonly id: string } {
  const given = body.kind === 'form' ? readForm(body.parts) : readJson(objectOf(body));
  const { scannerId = null, scannerPackageId = null, scannerVersions = null } = given;
  const dataset: PeerDataset = { ...given, id: randomUUID(), scannerId, scannerPackageId, scannerVersions };
  state.datasets.set(dataset.id, dataset);
  state.effects.push({ at: state.now(), id: dataset.id, kind: 'dataset', name: dataset.name });
  return { id: dataset.id };
}

function readJson(source: Readonly<Record<string, unknown>>) {
  return readFields(source, {
    name,
    fileId: uuid,
    scannerId: uuid.nullish(),
    scannerPackageId: uuid.nullish(),
    scannerVersions: versions.nullish(),
  });
}

/** The versions come as one part each; of the others the last part counts. */
function readForm(parts: readonly Part[]) {
  const source = Object.fromEntries(
    [...Map.groupBy(parts, (part) => part.name)].map(([field, those]) => {
      const values = those.map(({ value }) => value);
      return [field, field === 'scannerVersions' ? values : values.at(-1)];
    }),
  );
  return readFields(source, {
    file,
    name,
    scannerId: uuid.optional(),
    scannerPackageId: uuid.optional(),
    scannerVersions: versions.optional(),
  });
}
