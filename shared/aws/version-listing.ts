import { ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { decodeObjectKey } from '../uploads/object-key.ts';

/** One version of an object as a listing shows it. */
export interface ListedVersion {
  readonly key: string;
  /** `null` (the text) if the bucket kept no versions when it was put. */
  readonly versionId: string;
  /** Without the quotes of HTTP. */
  readonly etag: string;
  readonly sizeBytes: number;
  /** When it was put; for an upload in parts, when that was begun. */
  readonly lastModified: Date;
}

/** The position at which a page of a listing begins: after this version. */
export interface VersionMarker {
  readonly key: string;
  readonly versionId?: string;
}

/** One page of versions; without `next` it is the last. */
interface VersionsPage {
  readonly versions: readonly ListedVersion[];
  readonly next?: VersionMarker;
}

/**
 * Lists the versions of objects: by key, newest first within a key. Delete markers are left out.
 */
export interface ObjectVersions {
  readonly list: (page: {
    readonly prefix: string;
    readonly after?: VersionMarker | undefined;
    /** @default 1000, the most that S3 answers */
    readonly limit?: number;
  }) => Promise<VersionsPage>;
}

export function createObjectVersions(client: S3Client, bucket: string): ObjectVersions {
  return {
    async list({ prefix, after, limit }) {
      const answer = await client.send(
        new ListObjectVersionsCommand({
          Bucket: bucket,
          Prefix: prefix,
          KeyMarker: after?.key,
          VersionIdMarker: after?.versionId,
          MaxKeys: limit,
          // XML cannot hold every character that a key may have.
          EncodingType: 'url',
        }),
      );
      const keyOf = (text: string | undefined) => keyInListing(text, answer);
      return {
        versions: (answer.Versions ?? []).map((version) => ({
          key: keyOf(version.Key),
          versionId: version.VersionId ?? 'null',
          etag: (version.ETag ?? '').replaceAll('"', ''),
          sizeBytes: version.Size ?? 0,
          lastModified: version.LastModified ?? new Date(0),
        })),
        ...(answer.IsTruncated === true
          ? { next: { key: keyOf(answer.NextKeyMarker), versionId: answer.NextVersionIdMarker } }
          : {}),
      };
    },
  };
}

/** A key as a listing writes it. S3 encodes keys there as it does in events, if it is asked to. */
export function keyInListing(text: string | undefined, answer: { readonly EncodingType?: string | undefined }): string {
  if (answer.EncodingType !== 'url') return text ?? '';
  const key = decodeObjectKey(text ?? '');
  if (key === undefined) throw new Error(`a listing holds the key ${JSON.stringify(text)}, which cannot be decoded`);
  return key;
}
