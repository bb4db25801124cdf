import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { arnOf, type ResolvedAssembly, type ResolvedResource, resourcesOfType } from '#local/template/assembly.ts';

const personPrefix = 'PersonWith';

/** The template with a role for each policy that is meant for people: somebody who has that policy and no other. */
export function withPeople(assembly: ResolvedAssembly): ResolvedAssembly {
  const people = resourcesOfType(assembly, 'AWS::IAM::ManagedPolicy').map((policy): ResolvedResource => {
    const name = `${personPrefix}${policy.logicalId}`;
    return {
      stackName: policy.stackName,
      logicalId: name,
      type: 'AWS::IAM::Role',
      name,
      physicalId: name,
      arn: roleArn(assembly, policy),
      properties: { AssumeRolePolicyDocument: { Statement: [] }, ManagedPolicyArns: [arnOf(policy)] },
      dependsOn: [],
    };
  });
  return { ...assembly, resources: [...assembly.resources, ...people] };
}

/** A client of the person who has a policy, by the beginning of its logical id. */
export function clientOfPerson({ authority, assembly }: RunningStage, policy: string): S3Client {
  const found = resourcesOfType(assembly, 'AWS::IAM::ManagedPolicy').find(({ logicalId }) =>
    logicalId.startsWith(policy),
  );
  if (found === undefined) throw new Error(`the template has no policy ${policy} for people`);
  const { endpoint, region } = assembly;
  const credentials = authority.accessKeyFor(roleArn(assembly, found), 'person');
  return new S3Client({ endpoint, region, credentials });
}

/** Puts what each may put, whole and in parts. What is not whole never becomes an object, and a folder's marker makes no work. */
export async function putFilesOfPeople(stage: RunningStage): Promise<void> {
  const [bucket] = resourcesOfType(stage.assembly, 'AWS::S3::Bucket');
  for (const [policy, prefix] of Object.entries({ DatasetsWriter: 'datasets/', RunPlansWriter: 'run-plans/' })) {
    const s3 = clientOfPerson(stage, policy);
    const object = { Bucket: bucket?.physicalId, Key: `${prefix}of-people/` };
    await s3.send(new PutObjectCommand({ ...object, Body: Buffer.alloc(0) }));
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object));
    await s3.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'one' }));
    await s3.send(new ListPartsCommand({ ...object, UploadId }));
    await s3.send(new AbortMultipartUploadCommand({ ...object, UploadId }));
    s3.destroy();
  }
}

function roleArn({ accountId }: ResolvedAssembly, { logicalId }: ResolvedResource): string {
  return `arn:aws:iam::${accountId}:role/${personPrefix}${logicalId}`;
}
