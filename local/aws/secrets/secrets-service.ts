/** Secrets Manager: reading and rotating the secrets that the template declares. */
import { randomBytes, randomUUID } from 'node:crypto';
import { arnOf, resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asText, isJsonObject, textsOf } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { AwsError, notEmulated } from '../wire/aws-error.ts';
import { jsonBody, jsonResponse, requiredText } from '../wire/messages.ts';
import type { AwsRequest, AwsService } from '../wire/messages.ts';
import type { SecretStore } from './secret-store.ts';

/** What the service needs. */
export interface SecretsServiceOptions {
  readonly assembly: ResolvedAssembly;
  readonly store: SecretStore;
  readonly now: () => number;
}

type Operation = (secret: ResolvedResource, input: JsonObject) => object;

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
    const id = requiredText(input, 'SecretId');
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
        VersionStages: stagesOf(stages, version.versionId),
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
        VersionIdsToStages: Object.fromEntries(ids.map((id) => [id, stagesOf(stages, id)])),
      };
    },
    PutSecretValue(secret, input) {
      const text = asText(input['SecretString']);
      const binary = asText(input['SecretBinary']);
      if ((text === undefined) === (binary === undefined))
        throw new AwsError('InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
      const versionId = asText(input['ClientRequestToken']) ?? randomUUID();
      const named = textsOf(input['VersionStages']);
      const stages = named.length === 0 ? ['AWSCURRENT'] : named;
      const value = text === undefined ? { binary: binary ?? '' } : { text };
      const before = store.version(secret.name, versionId);
      if (before !== undefined && (before.text !== text || before.binary !== binary))
        throw new AwsError('ResourceExistsException', 'A version with this token exists, with another value.');
      store.put(secret.name, { versionId, createdAt: before?.createdAt ?? now(), ...value }, stages);
      const attached = stagesOf(store.stages(secret.name), versionId);
      return { ARN: secret.arn, Name: secret.name, VersionId: versionId, VersionStages: attached };
    },
    UpdateSecretVersionStage(secret, input) {
      const stage = requiredText(input, 'VersionStage');
      const [to, from] = [asText(input['MoveToVersionId']), asText(input['RemoveFromVersionId'])];
      const holder = store.stages(secret.name)[stage];
      for (const id of [to, from]) {
        if (id !== undefined && store.version(secret.name, id) === undefined) {
          throw notFound(`Secrets Manager can't find the specified secret version: ${id}`);
        }
      }
      // Also where it has one and nothing was said: nobody moves a label that somebody else has moved meanwhile.
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

function stagesOf(stages: Readonly<Record<string, string>>, versionId: string): string[] {
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
