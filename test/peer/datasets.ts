/** `POST /backend/v1/datasets`, as JSON and as multipart. */
import { randomUUID } from 'node:crypto';
import {
  arrayOf,
  nullable,
  optional,
  Problem,
  type Reader,
  readFields,
  required,
  several,
  text,
  time,
  uuid,
} from './fields.ts';
import { objectOf, type Part, type PeerRequest, type SentFile } from './request.ts';
import type { PeerDataset, PeerState } from './state.ts';

/** A version of a scanner: a uuid, a time or a word. */
const version: Reader<string> = (value) => {
  if (typeof value !== 'string') return new Problem('string_type', 'Input should be a valid string');
  const isTime = !(time(value) instanceof Problem);
  return isTime || /^[a-zA-Z0-9-_]{1,100}$/.test(value)
    ? value
    : new Problem('string_pattern_mismatch', "String should match pattern '^[a-zA-Z0-9-_]+$'");
};

const file: Reader<SentFile> = (value) =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? (value as SentFile)
    : new Problem('value_error', 'Expected a file');

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
    name: required(text(1, 100)),
    fileId: required(uuid),
    scannerId: nullable(uuid),
    scannerPackageId: nullable(uuid),
    scannerVersions: nullable(arrayOf(version)),
  };
  return readFields(source, fields, { place: 'body', unknown });
}

/** The versions come as one part each; of the others the last part counts. */
function readForm(parts: readonly Part[], unknown: Unknown) {
  const fields = {
    file: required(file),
    name: required(text(1, 100)),
    scannerId: optional(uuid),
    scannerPackageId: optional(uuid),
    scannerVersions: several(version),
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
