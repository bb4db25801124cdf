/** `POST /backend/v1/datasets`, as JSON and as multipart. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readFields, text, time, uuid } from './fields.ts';
import { objectOf, type Part, type PeerRequest, type SentFile } from './request.ts';
import type { PeerDataset, PeerState } from './state.ts';

/** A version of a scanner: a uuid, a time or a word. */
const version = z.string().refine((value) => time.safeParse(value).success || /^[a-zA-Z0-9-_]{1,100}$/.test(value));

const file = z.custom<SentFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value);

const datasetName = text(1, 100);
const versions = z.array(version);

/** Makes a dataset. */
export function addDataset(state: PeerState, { body }: PeerRequest): { readonly id: string } {
  const unknown = state.behaviour.unknownFields;
  const given = body.kind === 'form' ? readForm(body.parts, unknown) : readJson(objectOf(body), unknown);
  const { scannerId = null, scannerPackageId = null, scannerVersions = null } = given;
  const dataset: PeerDataset = { ...given, id: randomUUID(), scannerId, scannerPackageId, scannerVersions };
  state.datasets.set(dataset.id, dataset);
  state.effects.push({ at: state.now(), id: dataset.id, kind: 'dataset', name: dataset.name });
  return { id: dataset.id };
}

type Unknown = PeerState['behaviour']['unknownFields'];

function readJson(source: Readonly<Record<string, unknown>>, unknown: Unknown) {
  const fields = {
    name: datasetName,
    fileId: uuid,
    scannerId: uuid.nullish(),
    scannerPackageId: uuid.nullish(),
    scannerVersions: versions.nullish(),
  };
  return readFields(source, fields, { place: 'body', unknown });
}

/** The versions come as one part each; of the others the last part counts. */
function readForm(parts: readonly Part[], unknown: Unknown) {
  const fields = {
    file,
    name: datasetName,
    scannerId: uuid.optional(),
    scannerPackageId: uuid.optional(),
    scannerVersions: versions.optional(),
  };
  const grouped = Map.groupBy(parts, (part) => part.name);
  const source = Object.fromEntries(
    [...grouped].map(([name, those]) => {
      const values = those.map(({ value }) => value);
      return [name, name === 'scannerVersions' ? values : values.at(-1)];
    }),
  );
  return readFields(source, fields, { place: 'body', unknown });
}
