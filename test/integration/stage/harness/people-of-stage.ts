import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { resourcesOfType } from '#local/template/assembly.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** A client of a person who has one policy of the stage and no other. */
export function clientOfPerson({ assembly }: RunningStage, policy: string): S3Client {
  const { endpoint, region } = assembly;
  return new S3Client({
    endpoint,
    region,
    credentials: { ...developerKey, accessKeyId: `POLICY-${policy}` },
  });
}

/** Puts what each may put, whole and in parts. What is not whole never becomes an object, and a folder's marker makes no work. */
export async function putFilesOfPeople(stage: RunningStage): Promise<void> {
  const [bucket] = resourcesOfType(stage.assembly, 'AWS::S3::Bucket');
  for (const [policy, prefix] of Object.entries({
    DatasetsWriter: 'datasets/',
    StartingDatasetsWriter: 'datasets/',
    RunPlansWriter: 'run-plans/',
  })) {
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
