import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { AppError } from '../errors/app-error.ts';
import type { ClientSettings } from './client-settings.ts';

export interface ObjectVersion {
  readonly bucket: string;
  readonly key: string;
  /** Absent: the current version. */
  readonly versionId?: string;
}

/** What HEAD says of a version, and GET before the first byte. */
export interface ObjectHead {
  /** Absent if the bucket keeps no versions. */
  readonly versionId?: string;
  readonly sizeBytes: number;
  readonly etag: string;
  /** User metadata with lower-case names, without `x-amz-meta-`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A version whose body is on its way: its opener disposes of it, read or not. */
export interface OpenedObject extends ObjectHead, Disposable {
  /** The body piece by piece, once. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Reads object versions; `undefined` means gone: deleted, or a delete marker. */
export interface ObjectStore {
  readonly head: (version: ObjectVersion) => Promise<ObjectHead | undefined>;
  /**
   * What HEAD says and the body by one request.
   * @example using opened = await objects.open(version);
   */
  readonly open: (version: ObjectVersion) => Promise<OpenedObject | undefined>;
}

/** Objects in S3. */
export function createObjectStore(client: S3Client): ObjectStore {
  return {
    async head(version) {
      return read(version, async () => {
        try {
          return headOf(await client.send(new HeadObjectCommand(address(version))));
        } catch (error) {
          if (!(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== 400) throw error;
          // The answer to HEAD has no body, so it does not say why.
          using opened = await open(client, version);
          return opened;
        }
      });
    },
    open: async (version) => read(version, async () => open(client, version)),
  };
}

async function open(client: S3Client, version: ObjectVersion): Promise<OpenedObject> {
  const answer = await client.send(new GetObjectCommand(address(version)));
  // In Node the body is a Readable.
  const body = answer.Body as Readable | undefined;
  // A connection that breaks before the first read fails that read, and does not end the process.
  body?.on('error', () => {});
  return { ...headOf(answer), pieces: body ?? noBytes(), [Symbol.dispose]: () => void body?.destroy() };
}

/** What HEAD and GET both say. */
type HeadAnswer = Pick<HeadObjectCommandOutput, 'VersionId' | 'ContentLength' | 'ETag' | 'Metadata'>;

function headOf({ VersionId, ContentLength, ETag, Metadata }: HeadAnswer): ObjectHead {
  return {
    // S3 says the text "null" of an object that was put while no versions were kept.
    versionId: VersionId === 'null' ? undefined : VersionId,
    sizeBytes: ContentLength ?? 0,
    etag: ETag ?? '',
    metadata: Metadata ?? {},
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

function address({ bucket, key, versionId }: ObjectVersion) {
  return { Bucket: bucket, Key: key, VersionId: versionId };
}

/** S3 does not give an object out, and no repeat changes that: a person has to. */
export class ObjectRefusedError extends AppError {
  override readonly name = 'ObjectRefusedError';

  constructor(
    { key, versionId }: ObjectVersion,
    { code, message, advice, cause }: Refusal & { readonly cause: unknown },
  ) {
    const what = versionId === undefined ? key : `${key}, version ${versionId}`;
    super(`S3 does not give out ${what}: ${code}, ${message} ${advice}`, {
      code: 'OBJECT_REFUSED',
      retryable: false,
      cause,
    });
  }
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

const enableKey = 'Enable its KMS key, or upload the file again under a key that is.';

/**
 * Answers to a read that stay as they are until a person acts, and what to do (Amazon S3 API
 * Reference, "Error responses"). Any other may pass: the message is tried again.
 */
const refusals: Readonly<Record<string, string>> = {
  InvalidObjectState: 'It is archived: restore it.',
  InvalidRequest: 'It may be encrypted with a key of its sender: upload it again without.',
  InvalidArgument: 'Its version id or key may not be one of S3: upload the file again.',
  KeyTooLongError: 'Upload the file under a shorter key.',
  'KMS.DisabledException': enableKey,
  'KMS.KMSInvalidStateException': enableKey,
  'KMS.NotFoundException': enableKey,
};

/**
 * A delete marker answers 405 to a read of its own version, a missing version 404; HEAD has no body
 * and so no precise name.
 */
async function read<Result>(version: ObjectVersion, ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
    if (!(error instanceof S3ServiceException)) throw error;
    if ([404, 405].includes(error.$metadata.httpStatusCode ?? 0)) return undefined;
    const { name: code, message } = error;
    const advice = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
    if (advice === undefined) throw error;
    throw new ObjectRefusedError(version, { code, message, advice, cause: error });
  }
}

/** An object to put. */
export interface ObjectUpload {
  readonly bucket: string;
  readonly key: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  /**
   * With lower-case names, without `x-amz-meta-`; ASCII values (RFC 2047 words for anything else).
   */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Puts one object; answers the id of the version that it made, if the bucket keeps versions. */
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
  return { versionId: answer.VersionId };
}

/**
 * A client of S3. No checksum of the answer is requested: the SDK refuses an object whose uploader
 * chose an algorithm that it lacks. It leaves the body unread, so fifty of them take every
 * connection. TLS and the length hold what arrives.
 */
export function createS3Client(settings: ClientSettings = {}): S3Client {
  return new S3Client({ ...settings, responseChecksumValidation: 'WHEN_REQUIRED' });
}
