/** Secrets and their versions, in one file that only its owner can read. Written whole, then moved into place. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromState } from '../../stage/start-problem.ts';
import { asNumber, asObject, asText, parseJsonObject } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';

/** One version of a secret's value. */
export interface SecretVersion {
  readonly versionId: string;
  readonly createdAt: number;
  readonly text?: string;
  /** Base64. */
  readonly binary?: string;
}

/** The versions of all secrets. */
export interface SecretStore {
  /** Every stage that is set, with its version's id. */
  stages(secret: string): Readonly<Record<string, string>>;
  version(secret: string, versionId: string): SecretVersion | undefined;
  /** All that the secret has held. */
  versions(secret: string): readonly SecretVersion[];
  /** Of the secrets that have a version. */
  names(): readonly string[];
  /** Adds a version and moves the stages to it; what was AWSCURRENT becomes AWSPREVIOUS, and the first of all is AWSCURRENT. */
  put(secret: string, version: SecretVersion, stages: readonly string[]): void;
  /** Moves a stage to a version, as above; without a version the stage is taken away. */
  moveStage(secret: string, stage: string, versionId: string | undefined): void;
}

/** Opens the secrets kept in `dataDir`. */
export function openSecretStore(dataDir: string): SecretStore {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'secrets.json');
  const secrets: JsonObject = existsSync(path)
    ? fromState(path, () => parseJsonObject(readFileSync(path, 'utf8'), 'it'))
    : {};
  const versionsOf = (secret: string): JsonObject => asObject(asObject(secrets[secret])['versions']);
  const stagesOf = (secret: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(asObject(asObject(secrets[secret])['stages'])).flatMap(([stage, id]) => {
        const versionId = asText(id);
        return versionId === undefined ? [] : [[stage, versionId]];
      }),
    );
  const moved = (secret: string, wanted: readonly string[], versionId: string): Record<string, string> => {
    const stages = stagesOf(secret);
    const current = stages['AWSCURRENT'];
    const isNewCurrent = wanted.includes('AWSCURRENT') && current !== undefined && current !== versionId;
    if (isNewCurrent) stages['AWSPREVIOUS'] = current;
    for (const stage of wanted) stages[stage] = versionId;
    return stages;
  };
  const save = (): void => {
    const draft = `${path}.new`;
    writeFileSync(draft, JSON.stringify(secrets, undefined, 2), { mode: 0o600 });
    renameSync(draft, path);
  };

  const readVersion = (secret: string, versionId: string): SecretVersion | undefined => {
    const version = versionsOf(secret)[versionId];
    if (version === undefined) return undefined;
    const { createdAt, text, binary } = asObject(version);
    return { versionId, createdAt: asNumber(createdAt) ?? 0, text: asText(text), binary: asText(binary) };
  };

  return {
    stages: stagesOf,
    version: readVersion,
    versions: (secret) => Object.keys(versionsOf(secret)).flatMap((id) => readVersion(secret, id) ?? []),
    names: () => Object.keys(secrets),
    put(secret, version, stages) {
      const { versionId, ...content } = version;
      const wanted = stagesOf(secret)['AWSCURRENT'] === undefined ? [...stages, 'AWSCURRENT'] : stages;
      secrets[secret] = {
        stages: moved(secret, wanted, versionId),
        versions: { ...versionsOf(secret), [versionId]: { ...content } },
      };
      save();
    },
    moveStage(secret, stage, versionId) {
      const { [stage]: _, ...others } = stagesOf(secret);
      const stages = versionId === undefined ? others : moved(secret, [stage], versionId);
      secrets[secret] = { stages, versions: { ...versionsOf(secret) } };
      save();
    },
  };
}
