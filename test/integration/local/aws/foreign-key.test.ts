/**
 * What the bucket of a deployed stage refuses, by the policy of its own template: the emulator took
 * every file, whatever key it named.
 */
import { CopyObjectCommand, CreateMultipartUploadCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, test } from 'vitest';
import { stageWith } from '../../../infra/stacks/stage-with.ts';
import { startLocalAws } from './start-local-aws.ts';

const foreign = 'arn:aws:kms:eu-west-1:999999999999:key/of-another-account';
const kms = { ServerSideEncryption: 'aws:kms' } as const;
const ownKey = {
  SSECustomerAlgorithm: 'AES256',
  SSECustomerKey: Buffer.alloc(32, 1).toString('base64'),
  SSECustomerKeyMD5: 'k9p8jz05Z9MdtaXNUFJM4w==',
} as const;

const { resources } = (await stageWith({}, 'prod')).state;
const aws = await startLocalAws({ template: JSON.parse(JSON.stringify({ Resources: resources })) });
afterAll(aws.close);
const s3 = new S3Client({ ...aws.developer, forcePathStyle: true });
const Bucket = aws.assembly.resources.find(({ name }) => name.startsWith('gateway-autopilot-prod-'))?.name ?? '';

const denied = {
  name: 'AccessDenied',
  message: expect.stringContaining('an explicit deny in a resource-based policy'),
};
const put = async (how: object) => s3.send(new PutObjectCommand({ Bucket, Key: 'datasets/a.csv', Body: 'x', ...how }));

describe('a stage without keys of its account', () => {
  test.each([
    ['a key of another account', { ...kms, SSEKMSKeyId: foreign }],
    ['a key that the sender has', ownKey],
  ])('refuses a file with %s, also to the developer', async (_what, how) => {
    await expect(put(how)).rejects.toMatchObject(denied);
    const upload = new CreateMultipartUploadCommand({ Bucket, Key: 'datasets/large.csv', ...how });
    await expect(s3.send(upload)).rejects.toMatchObject(denied);
    await put({});
    const copy = new CopyObjectCommand({
      Bucket,
      Key: 'datasets/b.csv',
      CopySource: `${Bucket}/datasets/a.csv`,
      ...how,
    });
    await expect(s3.send(copy)).rejects.toMatchObject(denied);
  });

  test.each([
    ['none', {}],
    ["S3's own", { ServerSideEncryption: 'AES256' }],
  ])('takes a file with %s', async (_what, how) => {
    await expect(put(how)).resolves.toMatchObject({ VersionId: expect.any(String) });
  });
});
