import { S3Client } from '@aws-sdk/client-s3';

/** S3; the region, the credentials and a local endpoint come from the environment. An endpoint that is an IP address gets path style by itself. */
export function createS3Client(): S3Client {
  return new S3Client({});
}
