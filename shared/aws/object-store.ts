import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

/** One version of an object. */
export interface ObjectVersion {
  readonly bucket: string;
  readonly key: string;
  /** Absent: the current version. */
  readonly versionId?: string;
}

/** What HEAD says of a version. */
export interface ObjectHead {
  /** Absent where the bucket keeps no versions. */
  readonly versionId?: string;
  readonly sizeBytes: number;
  readonly etag: string;
  /** User metadata with lower-case names, without `x-amz-meta-`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads object versions; `undefined` means gone: deleted, or a delete marker. */
export interface ObjectStore {
  readonly head: (version: ObjectVersion) => Promise<ObjectHead | undefined>;
  /** The whole body: ask for its size first. */
  readonly read: (version: ObjectVersion) => Promise<Uint8Array | undefined>;
  /** The body piece by piece; whoever stops early lets the connection go. */
  readonly stream: (version: ObjectVersion) => Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Objects in S3. */
export function createObjectStore(client: S3Client): ObjectStore {
  return {
    async head(version) {
      return goneAsUndefined(async () => {
        const answer = await client.send(new HeadObjectCommand(address(version)));
        const { VersionId: versionId } = answer;
        return {
          // S3 says the text "null" of an object that was put while no versions were kept.
          ...(versionId === undefined || versionId === 'null' ? {} : { versionId }),
          sizeBytes: answer.ContentLength ?? 0,
          etag: answer.ETag ?? '',
          metadata: answer.Metadata ?? {},
        };
      });
    },
    async read(version) {
      return goneAsUndefined(async () => {
        const answer = await client.send(new GetObjectCommand(address(version)));
        return answer.Body?.transformToByteArray() ?? new Uint8Array();
      });
    },
    async stream(version) {
      return goneAsUndefined(async () => {
        const answer = await client.send(new GetObjectCommand(address(version)));
        // In Node the body is a Readable: leaving its loop destroys it.
        return (answer.Body as AsyncIterable<Uint8Array> | undefined) ?? noBytes();
      });
    },
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

function address({ bucket, key, versionId }: ObjectVersion) {
  return { Bucket: bucket, Key: key, ...(versionId === undefined ? {} : { VersionId: versionId }) };
}

/** A delete marker answers 405 to a read of its own version, a missing version 404; HEAD has no body and so no precise name. */
async function goneAsUndefined<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
    if (error instanceof S3ServiceException && [404, 405].includes(error.$metadata.httpStatusCode ?? 0))
      return undefined;
    throw error;
  }
}
