import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { keyInListing } from '#shared/aws/version-listing.ts';

/**
 * The first names in a bucket: each key without a slash, and of the others what is before their
 * first slash.
 */
export interface TopOfBucket {
  /** `dataset/`, `names.csv`. */
  readonly names: readonly string[];
  /** There are more than one page holds. */
  readonly isPartial: boolean;
}

/**
 * Lists the top of a bucket with one request. "All of the keys (up to 1,000) rolled up in a common
 * prefix count as a single return" (Amazon S3 API Reference, ListObjectsV2, "CommonPrefixes"). The
 * empty prefix is sent, since a policy for the top alone requires it. (See Amazon S3 User Guide,
 * "Controlling access to a bucket with user policies", "Grant permission to list root-level
 * items").
 */
export async function readTopOfBucket(client: S3Client, bucket: string): Promise<TopOfBucket> {
  const answer = await client.send(
    new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: '',
      Delimiter: '/',
      // XML cannot hold every character that a key may have.
      EncodingType: 'url',
    }),
  );
  const { CommonPrefixes: folders = [], Contents: files = [] } = answer;
  const found = [...folders.map(({ Prefix }) => Prefix), ...files.map(({ Key }) => Key)];
  return { names: found.map((name) => keyInListing(name, answer)), isPartial: answer.IsTruncated === true };
}
