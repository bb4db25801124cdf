/** Secrets Manager: reading and rotating the secrets that the template declares. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { fromState } from '../../state/start-problem.ts';
import { arnIn, arnOf, type ResolvedResource } from '../../template/cloud-assembly.ts';
import { typedResources } from '../../template/resource-properties.ts';
import type { AwsStage } from './aws-stage.ts';
import type { AwsRequest, AwsService } from '../wire/aws-service.ts';
import { AwsError } from '../aws-error.ts';
import { jsonService, operation, filledText } from '../wire/operations.ts';

const onSecret = z.strictObject({ SecretId: filledText });

const getRow = onSecret.extend({
  VersionId: z.string().optional(),
  VersionStage: z.string().default('AWSCURRENT'),
});

const putRow = onSecret.extend({
  SecretString: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= 65_536, 'Member must have length less than or equal to 65536'),
  ClientRequestToken: z.string().default(() => randomUUID()),
  VersionStages: z.array(z.string()).default(['AWSCURRENT']),
});

const moveRow = onSecret.extend({
  VersionStage: filledText,
  MoveToVersionId: z.string().optional(),
  RemoveFromVersionId: z.string().optional(),
});

/** Creates the service; gives secrets the values that the template declares, the first time. */
export function createSecretsService(store: SecretStore, { assembly, now }: AwsStage): AwsService {
  const secrets = typedResources(assembly, 'AWS::SecretsManager::Secret');
  for (const { name, typed } of secrets) {
    const text = typed.SecretString;
    if (text === undefined || Object.keys(store.stages(name)).length > 0) continue;
    store.put(name, { versionId: randomUUID(), createdAt: now(), text }, ['AWSCURRENT']);
  }

  const secretFor = ({ SecretId: id }: z.output<typeof onSecret>, request: AwsRequest): ResolvedResource => {
    const secret = secrets.find((candidate) => namesOf(candidate).includes(id));
    const asked = id.startsWith('arn:') ? id : arnIn(assembly, 'secretsmanager', `secret:${id}`);
    request.require(`secretsmanager:${request.operation}`, secret?.arn ?? asked);
    if (secret === undefined) throw notFound("Secrets Manager can't find the specified secret.");
    return secret;
  };

  return jsonService({
    name: 'secretsmanager',
    operations: {
      GetSecretValue: operation(getRow, (input, request) => {
        const { name, arn } = secretFor(input, request);
        // The token may be a real gateway's: the developer puts it in and never has to read it.
        if (request.caller.kind === 'developer')
          throw new AwsError('AccessDeniedException', 'The local runner gives secret values to functions only.');
        const stages = store.stages(name);
        const { VersionId, VersionStage: stage } = input;
        const version = store.version(name, VersionId ?? stages[stage]);
        if (version === undefined) {
          const what = VersionId === undefined ? `value for staging label: ${stage}` : `version: ${VersionId}`;
          throw notFound(`Secrets Manager can't find the specified secret ${what}`);
        }
        const { versionId, text, createdAt } = version;
        const VersionStages = stagesOfVersion(stages, versionId);
        const CreatedDate = createdAt / 1000;
        return { ARN: arn, Name: name, VersionId: versionId, SecretString: text, VersionStages, CreatedDate };
      }),
      DescribeSecret: operation(onSecret, (input, request) => {
        const { name, arn, properties } = secretFor(input, request);
        const stages = store.stages(name);
        const ids = Object.values(stages).map((id) => [id, stagesOfVersion(stages, id)] as const);
        const { Description } = properties;
        return { ARN: arn, Name: name, Description, VersionIdsToStages: Object.fromEntries(ids) };
      }),
      PutSecretValue: operation(putRow, (input, request) => {
        const { name, arn } = secretFor(input, request);
        const { SecretString: text, ClientRequestToken: versionId } = input;
        const before = store.version(name, versionId);
        if (before !== undefined && before.text !== text)
          throw new AwsError('ResourceExistsException', 'A version with this token exists, with another value.');
        store.put(name, { versionId, createdAt: before?.createdAt ?? now(), text }, input.VersionStages);
        const VersionStages = stagesOfVersion(store.stages(name), versionId);
        return { ARN: arn, Name: name, VersionId: versionId, VersionStages };
      }),
      UpdateSecretVersionStage: operation(moveRow, (input, request) => {
        const { name, arn } = secretFor(input, request);
        const { VersionStage: stage, MoveToVersionId: to, RemoveFromVersionId: from } = input;
        const holder = store.stages(name)[stage];
        for (const id of [to, from]) {
          if (id !== undefined && store.version(name, id) === undefined)
            throw notFound(`Secrets Manager can't find the specified secret version: ${id}`);
        }
        // Also if it has one and the request names none: a label that another caller has moved
        // in the meantime is not moved again.
        if (holder !== to && holder !== from)
          throw new AwsError(
            'InvalidParameterException',
            `The parameter RemoveFromVersionId must be the version that the staging label ${stage} is on.`,
          );
        if (to === undefined && stage === 'AWSCURRENT')
          throw new AwsError('InvalidParameterException', 'You can only move the staging label AWSCURRENT.');
        store.moveStage(name, stage, to);
        return { ARN: arn, Name: name };
      }),
    },
  });
}

/** A secret answers to its name, its ARN, and its ARN without the suffix. */
function namesOf(secret: ResolvedResource): string[] {
  const arn = arnOf(secret);
  return [secret.name, arn, arn.slice(0, -7)];
}

function stagesOfVersion(stages: Stages, versionId: string): string[] {
  return Object.keys(stages).filter((stage) => stages[stage] === versionId);
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message);
}

// Secrets and their versions, in one file that only its owner can read. Written whole, then moved
// into place.

const keptVersion = z.object({ createdAt: z.number(), text: z.string() });
const keptSecrets = z.record(
  z.string(),
  z.object({ stages: z.record(z.string(), z.string()), versions: z.record(z.string(), keptVersion) }),
);

/** Every stage that is set, with its version's id. */
type Stages = Readonly<Record<string, string>>;

/** One version of a secret's value. */
interface SecretVersion extends z.output<typeof keptVersion> {
  readonly versionId: string;
}

/** The versions of all secrets. */
export type SecretStore = ReturnType<typeof openSecretStore>;

/** The stages after some are moved to a version. */
function moved(before: Stages, wanted: readonly string[], versionId: string): Record<string, string> {
  const stages = { ...before };
  const current = stages['AWSCURRENT'];
  const isNewCurrent = wanted.includes('AWSCURRENT') && current !== undefined && current !== versionId;
  if (isNewCurrent) stages['AWSPREVIOUS'] = current;
  for (const stage of wanted) stages[stage] = versionId;
  return stages;
}

/** Opens the secrets kept in `dataDir`, which the first write makes if it is missing. */
export function openSecretStore(dataDir: string) {
  const path = join(dataDir, 'secrets.json');
  const secrets = existsSync(path)
    ? fromState(path, () => keptSecrets.parse(JSON.parse(readFileSync(path, 'utf8'))))
    : {};
  const of = (secret: string) => secrets[secret] ?? { stages: {}, versions: {} };
  /** All that the secret has held. */
  const versions = (secret: string): readonly SecretVersion[] =>
    Object.entries(of(secret).versions).map(([versionId, version]) => ({ versionId, ...version }));
  const save = (): void => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, JSON.stringify(secrets, undefined, 2), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };

  return {
    stages: (secret: string): Stages => of(secret).stages,
    version: (secret: string, versionId: string | undefined) =>
      versions(secret).find((version) => version.versionId === versionId),
    versions,
    /** Of the secrets that have a version. */
    names: () => Object.keys(secrets),
    /**
     * Adds a version and moves the stages to it; what was AWSCURRENT becomes AWSPREVIOUS, and the
     * first of all is AWSCURRENT.
     */
    put(secret: string, { versionId, ...version }: SecretVersion, stages: readonly string[]) {
      const before = of(secret);
      const wanted = before.stages['AWSCURRENT'] === undefined ? [...stages, 'AWSCURRENT'] : stages;
      secrets[secret] = {
        stages: moved(before.stages, wanted, versionId),
        versions: { ...before.versions, [versionId]: version },
      };
      save();
    },
    /** Moves a stage to a version, as above; without a version the stage is taken away. */
    moveStage(secret: string, stage: string, versionId: string | undefined) {
      const { [stage]: _, ...others } = of(secret).stages;
      const stages = versionId === undefined ? others : moved(of(secret).stages, [stage], versionId);
      secrets[secret] = { ...of(secret), stages };
      save();
    },
  };
}
