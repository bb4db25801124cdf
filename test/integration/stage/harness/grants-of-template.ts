import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type AccessRequest, type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { RequestContext } from '#local/aws/iam/conditions.ts';
import type { RunningStage } from '#local/stage/run-stage.ts';
import {
  arnOf,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
} from '#local/template/cloud-assembly.ts';
import { asList, asObject, type Json, type JsonObject, textsOf } from '#local/template/json.ts';
import { keyNamed } from '#shared/net/loopback.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** One action on one resource that one policy of the template allows. */
export interface StackGrant {
  /** Logical id of the policy that holds it. */
  readonly policy: string;
  readonly action: string;
  /** As the policy says it: an ARN, or a pattern of some. */
  readonly resource: string;
}

/**
 * Everything that the policies of the template allow: those of roles, of people, and of resources.
 */
export function grantsOf(assembly: ResolvedAssembly): StackGrant[] {
  return assembly.resources.flatMap((policy) =>
    statementsOf(policy)
      .filter((statement) => statement['Effect'] === 'Allow')
      .flatMap((statement) =>
        textsOf(statement['Action']).flatMap((action) =>
          textsOf(statement['Resource']).map((resource) => ({ policy: policy.logicalId, action, resource })),
        ),
      ),
  );
}

/** The template with that one action on that one resource taken out of its policy. */
export function withoutGrant(assembly: ResolvedAssembly, grant: StackGrant): ResolvedAssembly {
  return withStatements(assembly, grant.policy, (statements) =>
    statements.flatMap((statement) => {
      const actions = textsOf(statement['Action']);
      const resources = textsOf(statement['Resource']);
      const isIts =
        statement['Effect'] === 'Allow' && actions.includes(grant.action) && resources.includes(grant.resource);
      if (!isIts) return [statement];
      // What is left: the other actions on all of its resources, and the action on the others.
      const rest: JsonObject[] = [
        { ...statement, Action: actions.filter((action) => action !== grant.action) },
        { ...statement, Action: grant.action, Resource: resources.filter((resource) => resource !== grant.resource) },
      ];
      return rest.filter(({ Action, Resource }) => textsOf(Action).length > 0 && textsOf(Resource).length > 0);
    }),
  );
}

/** The template with one more action on one resource in a policy. */
export function withGrant(assembly: ResolvedAssembly, { policy, action, resource }: StackGrant): ResolvedAssembly {
  return withStatements(assembly, policy, (statements) => [
    ...statements,
    { Effect: 'Allow', Action: action, Resource: resource },
  ]);
}

/**
 * What was used and would have been refused without a grant, in AWS's words: the recorded requests
 * are put to the policies once more. None means that it is not needed.
 */
export function refusedWithout(
  assembly: ResolvedAssembly,
  grant: StackGrant,
  used: readonly AccessRecord[],
): readonly string[] {
  const reduced = createAuthority(withoutGrant(assembly, grant), developerKey);
  return used
    .filter(({ action }) => action === grant.action)
    .flatMap((record) => {
      const decision = reduced.authorize({ ...record, caller: callerOf(record, reduced) });
      return decision.allowed ? [] : [decision.message];
    });
}

function callerOf({ principal }: AccessRecord, authority: Authority) {
  if (principal.includes(':policy/')) return authority.personCaller(principal);
  if (principal.startsWith('arn:')) return authority.roleCaller(principal, 'recorded');
  return { kind: 'service', service: principal } as const;
}

function statementsOf({ properties }: ResolvedResource): JsonObject[] {
  return asList(asObject(properties['PolicyDocument'])['Statement']).map(asObject);
}

/** The template with the statements of a policy changed. */
export function withStatements(
  assembly: ResolvedAssembly,
  policy: string,
  change: (statements: JsonObject[]) => JsonObject[],
): ResolvedAssembly {
  const changed = (resource: ResolvedResource): ResolvedResource => {
    if (resource.logicalId !== policy) return resource;
    const document: Json = {
      ...asObject(resource.properties['PolicyDocument']),
      Statement: change(statementsOf(resource)),
    };
    return { ...resource, properties: { ...resource.properties, PolicyDocument: document } };
  };
  return { ...assembly, resources: assembly.resources.map(changed) };
}

/** A client of a person who has one policy of the stage and no other. */
export function clientOfPerson({ assembly }: RunningStage, policy: string): S3Client {
  const { endpoint, region } = assembly;
  return new S3Client({
    endpoint,
    region,
    credentials: keyNamed(`POLICY-${policy}`, developerKey),
  });
}

/**
 * Puts what each may put, whole and in parts. What is not whole never becomes an object, and a
 * folder's marker makes no work.
 */
export async function putFilesOfPeople(stage: RunningStage): Promise<void> {
  const [bucket] = resourcesOfType(stage.assembly, 'AWS::S3::Bucket');
  for (const policy of ['DatasetsWriter', 'StartingDatasetsWriter']) {
    const s3 = clientOfPerson(stage, policy);
    const object = { Bucket: bucket?.physicalId, Key: 'datasets/of-people/' };
    await s3.send(new PutObjectCommand({ ...object, Body: Buffer.alloc(0) }));
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object));
    await s3.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'one' }));
    await s3.send(new ListPartsCommand({ ...object, UploadId }));
    await s3.send(new AbortMultipartUploadCommand({ ...object, UploadId }));
    s3.destroy();
  }
}

/**
 * What services of AWS would ask and that are not played here: alarms that ring, and access logs
 * that are delivered.
 */
export function askForAbsentServices(authority: Authority, assembly: ResolvedAssembly): void {
  const ask = (service: string, action: string, resource: string, sourceArn: string) =>
    authority.authorize({
      caller: { kind: 'service', service },
      action,
      resource,
      context: { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': assembly.accountId },
    });
  for (const alarm of resourcesOfType(assembly, 'AWS::CloudWatch::Alarm')) {
    for (const topic of textsOf(alarm.properties['AlarmActions'])) {
      ask('cloudwatch.amazonaws.com', 'sns:Publish', topic, arnOf(alarm));
    }
  }
  for (const bucket of resourcesOfType(assembly, 'AWS::S3::Bucket')) {
    const target = asObject(bucket.properties['LoggingConfiguration'])['DestinationBucketName'];
    for (const name of textsOf(target)) {
      ask('logging.s3.amazonaws.com', 's3:PutObject', `arn:aws:s3:::${name}/2026-11-20`, arnOf(bucket));
    }
  }
}

/**
 * An action that a role, a person or a service used or was refused, whole. Asked again of other
 * policies, it shows who would miss what.
 */
export interface AccessRecord {
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
}

/** An authority that remembers what it decided. */
export type RecordingAuthority = ReturnType<typeof recordingAuthority>;

/** Creates one; what the developer does tells nothing about a grant. */
export function recordingAuthority(...of: Parameters<typeof createAuthority>) {
  const authority = createAuthority(...of);
  const used = new Map<string, AccessRecord>();
  const denied = new Map<string, AccessRecord & { readonly message: string }>();
  const authorize: Authority['authorize'] = (request) => {
    const decision = authority.authorize(request);
    const record = recordOf(request);
    if (record === undefined) return decision;
    if (decision.allowed) used.set(JSON.stringify(record), record);
    else denied.set(JSON.stringify(record), { ...record, message: decision.message });
    return decision;
  };
  return {
    ...authority,
    authorize,
    /** Everything allowed so far to roles, people and services, each once. */
    used: () => [...used.values()],
    /** Everything refused so far, each once. */
    denials: () => [...denied.values()],
  };
}

function recordOf({ caller, action, resource, context = {} }: AccessRequest): AccessRecord | undefined {
  if (caller.kind === 'developer') return undefined;
  const principal =
    caller.kind === 'service' ? caller.service : caller.kind === 'role' ? caller.roleArn : caller.policyArn;
  return { principal, action, resource, context: withKindsOfRows(context) };
}

/** A stage that works for long has rows without end, and kinds of rows for each grant. */
function withKindsOfRows(context: RequestContext): RequestContext {
  const { 'dynamodb:LeadingKeys': keys, ...others } = context;
  if (!Array.isArray(keys)) return context;
  const kinds = new Set(keys.map((key: string) => key.replace(/(?<=#).*/s, '')));
  return { ...others, 'dynamodb:LeadingKeys': [...kinds].toSorted() };
}
