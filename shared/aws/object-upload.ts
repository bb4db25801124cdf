import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

/** An object to put. */
export interface ObjectUpload {
  readonly bucket: string;
  readonly key: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  /** User metadata with lower-case names, without `x-amz-meta-`; ASCII values (RFC 2047 words for anything else). */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Puts one object; answers the id of the version that it made, where the bucket keeps versions. */
export async function uploadObject(client: S3Client, upload: ObjectUpload): Promise<{ readonly versionId?: string }> {
  const answer = await client.send(
    new PutObjectCommand({
      Bucket: upload.bucket,
      Key: upload.key,
      Body: upload.body,
      ContentType: upload.contentType,
      Metadata: { ...upload.metadata },
    }),
  );
  return answer.VersionId === undefined ? {} : { versionId: answer.VersionId };
}
