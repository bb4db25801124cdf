/** Secrets Manager: reading and rotating the secrets that the template declares. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromState } from '../../state/start-problem.ts';
import {
  arnOf,
  asNumber,
  asObject,
  asText,
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
  textsOf,
} from '../../template/assembly.ts';
import {
  type AwsRequest,
  type AwsService,
  jsonBody,
  jsonResponse,
  notEmulated,
  requiredParameter,
} from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';

/** What the service needs. */
export interface SecretsServiceOptions {
  readonly assembly: ResolvedAssembly;
  readonly store: SecretStore;
  readonly now: () => number;
}

type Operation = (secret: ResolvedResource, input: JsonObject) => object;

/** Of a secret's value. */
const MOST_SECRET_BYTES = 65_536;

function refuseLong(text: string | undefined, binary = ''): void {
  const bytes = text === undefined ? Buffer.byteLength(binary, 'base64') : Buffer.byteLength(text);
  if (bytes <= MOST_SECRET_BYTES) return;
  throw new AwsError(
    'ValidationException',
    `Value at 'secretString' failed to satisfy constraint: Member must have length less than or equal to ${MOST_SECRET_BYTES}`,
  );
}

/** Creates the service; gives secrets the values that the template declares, the first time. */
export function createSecretsService({ assembly, store, now }: SecretsServiceOptions): AwsService {
  const secrets = resourcesOfType(assembly, 'AWS::SecretsManager::Secret');
  for (const secret of secrets) {
    const text = declaredValue(secret);
    const isNew = Object.keys(store.stages(secret.name)).length === 0;
    if (text !== undefined && isNew)
      store.put(secret.name, { versionId: randomUUID(), createdAt: now(), text }, ['AWSCURRENT']);
  }

  const secretFor = (request: AwsRequest, input: JsonObject): ResolvedResource => {
    const id = requiredParameter(input, 'SecretId');
    const secret = secrets.find((candidate) => names(candidate).includes(id));
    const { region, accountId } = assembly;
    const asked = id.startsWith('arn:') ? id : `arn:aws:secretsmanager:${region}:${accountId}:secret:${id}`;
    request.require(`secretsmanager:${request.operation}`, secret?.arn ?? asked);
    if (secret === undefined) throw notFound("Secrets Manager can't find the specified secret.");
    if (request.operation === 'GetSecretValue' && request.caller.kind === 'developer') throw notForDevelopers();
    return secret;
  };

  const operations: Readonly<Record<string, Operation>> = {
    GetSecretValue(secret, input) {
      const stages = store.stages(secret.name);
      const stage = asText(input['VersionStage']) ?? 'AWSCURRENT';
      const asked = asText(input['VersionId']);
      const versionId = asked ?? stages[stage];
      const version = versionId === undefined ? undefined : store.version(secret.name, versionId);
      if (version === undefined) {
        const what = asked === undefined ? `value for staging label: ${stage}` : `version: ${asked}`;
        throw notFound(`Secrets Manager can't find the specified secret ${what}`);
      }
      return {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: version.versionId,
        SecretString: version.text,
        SecretBinary: version.binary,
        VersionStages: stagesOfVersion(stages, version.versionId),
        CreatedDate: version.createdAt / 1000,
      };
    },
    DescribeSecret(secret) {
      const stages = store.stages(secret.name);
      const ids = [...new Set(Object.values(stages))];
      return {
        ARN: secret.arn,
        Name: secret.name,
        Description: asText(secret.properties['Description']),
        VersionIdsToStages: Object.fromEntries(ids.map((id) => [id, stagesOfVersion(stages, id)])),
      };
    },
    PutSecretValue(secret, input) {
      const text = asText(input['SecretString']);
      const binary = asText(input['SecretBinary']);
      if ((text === undefined) === (binary === undefined))
        throw new AwsError('InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
      refuseLong(text, binary);
      const versionId = asText(input['ClientRequestToken']) ?? randomUUID();
      const named = textsOf(input['VersionStages']);
      const stages = named.length === 0 ? ['AWSCURRENT'] : named;
      const value = text === undefined ? { binary: binary ?? '' } : { text };
      const before = store.version(secret.name, versionId);
      if (before !== undefined && (before.text !== text || before.binary !== binary))
        throw new AwsError('ResourceExistsException', 'A version with this token exists, with another value.');
      store.put(secret.name, { versionId, createdAt: before?.createdAt ?? now(), ...value }, stages);
      const attached = stagesOfVersion(store.stages(secret.name), versionId);
      return { ARN: secret.arn, Name: secret.name, VersionId: versionId, VersionStages: attached };
    },
    UpdateSecretVersionStage(secret, input) {
      const stage = requiredParameter(input, 'VersionStage');
      const [to, from] = [asText(input['MoveToVersionId']), asText(input['RemoveFromVersionId'])];
      const holder = store.stages(secret.name)[stage];
      for (const id of [to, from]) {
        if (id !== undefined && store.version(secret.name, id) === undefined) {
          throw notFound(`Secrets Manager can't find the specified secret version: ${id}`);
        }
      }
      // Also if it has one and the request names none: a label that another caller has moved
      // meanwhile is not moved again.
      if (holder !== to && holder !== from) {
        throw new AwsError(
          'InvalidParameterException',
          `The parameter RemoveFromVersionId must be the version that the staging label ${stage} is on.`,
        );
      }
      if (to === undefined && stage === 'AWSCURRENT')
        throw new AwsError('InvalidParameterException', 'You can only move the staging label AWSCURRENT.');
      store.moveStage(secret.name, stage, to);
      return { ARN: secret.arn, Name: secret.name };
    },
  };

  return {
    name: 'secretsmanager',
    protocol: 'json-1.1',
    handle(request) {
      const operation = Object.hasOwn(operations, request.operation) ? operations[request.operation] : undefined;
      if (operation === undefined) throw notEmulated('secretsmanager', request.operation);
      const input = jsonBody(request);
      return jsonResponse(operation(secretFor(request, input), input), { protocol: 'json-1.1' });
    },
  };
}

/** A secret answers to its name, its ARN, and its ARN without the suffix. */
function names(secret: ResolvedResource): string[] {
  const arn = arnOf(secret);
  return [secret.name, arn, arn.slice(0, -7)];
}

function stagesOfVersion(stages: Readonly<Record<string, string>>, versionId: string): string[] {
  return Object.keys(stages).filter((stage) => stages[stage] === versionId);
}

function declaredValue({ properties }: ResolvedResource): string | undefined {
  const generate = properties['GenerateSecretString'];
  if (!isJsonObject(generate)) return asText(properties['SecretString']);
  const generated = randomBytes(24).toString('base64url');
  const key = asText(generate['GenerateStringKey']);
  const template = asText(generate['SecretStringTemplate']);
  if (key === undefined || template === undefined) return generated;
  const parsed: unknown = JSON.parse(template);
  return JSON.stringify({ ...(isJsonObject(parsed) ? parsed : {}), [key]: generated });
}

/** The token may be a real gateway's: the developer puts it in and never has to read it. */
function notForDevelopers(): AwsError {
  return new AwsError('AccessDeniedException', 'The local runner gives secret values to functions only.');
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message);
}

// Secrets and their versions, in one file that only its owner can read. Written whole, then moved
// into place.

/** One version of a secret's value. */
interface SecretVersion {
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
  /**
   * Adds a version and moves the stages to it; what was AWSCURRENT becomes AWSPREVIOUS, and the
   * first of all is AWSCURRENT.
   */
  put(secret: string, version: SecretVersion, stages: readonly string[]): void;
  /** Moves a stage to a version, as above; without a version the stage is taken away. */
  moveStage(secret: string, stage: string, versionId: string | undefined): void;
}

/** Opens the secrets kept in `dataDir`, which the first write makes if it is missing. */
export function openSecretStore(dataDir: string): SecretStore {
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
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
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
