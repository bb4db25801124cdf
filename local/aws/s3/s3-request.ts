import type { AwsRequest } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import type { Bucket } from './buckets.ts';
import type { LocalObjectStore, LocalObjectVersion } from './object-store.ts';

/** An upload in parts that was begun. */
export interface MultipartUpload {
  readonly bucket: string;
  readonly key: string;
  /** The object's headers, as given at the beginning. */
  readonly headers: Readonly<Record<string, string>>;
  /** By their numbers. */
  readonly parts: Map<number, { readonly etag: string; readonly content: Buffer }>;
}

/** What S3's operations work on. */
export interface S3Deps {
  readonly buckets: ReadonlyMap<string, Bucket>;
  readonly objects: LocalObjectStore;
  /** By their ids. */
  readonly uploads: Map<string, MultipartUpload>;
  /** `name` without `s3:`, for instance `ObjectCreated:Put`. */
  readonly notify: (bucket: Bucket, name: string, version: LocalObjectVersion) => void;
}

/** A request about one object. */
export interface ObjectRequest {
  readonly request: AwsRequest;
  readonly bucket: Bucket;
  readonly key: string;
  readonly arn: string;
}

/** Splits `/bucket/key` (path style); the key keeps its slashes and loses its percent-encoding. */
export function splitPath(path: string): { bucket: string; key: string } {
  const [, bucket = '', ...key] = path.split('/');
  try {
    return { bucket: decodeURIComponent(bucket), key: decodeURIComponent(key.join('/')) };
  } catch {
    throw new AwsError('InvalidURI', "Couldn't parse the specified URI.");
  }
}

export function bucketNamed(deps: S3Deps, name: string): Bucket {
  const bucket = deps.buckets.get(name);
  if (bucket === undefined) throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', 404);
  return bucket;
}

/**
 * The object version that a reader asks for. Without `s3:ListBucket` a missing key is a refusal and
 * no 404: who may not list may not find out either (S3 API Reference, GetObject, "Permissions").
 * The page does not say which list a missing version is hidden behind, the one of keys or the one
 * of versions. So this asks for both, and a role that passes here passes there.
 */
export function findForReading(deps: S3Deps, { request, bucket, key, arn }: ObjectRequest): LocalObjectVersion {
  const versionId = request.query.get('versionId') ?? undefined;
  request.require(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', arn);
  const version = deps.objects.find(bucket.name, key, versionId);
  if (versionId !== undefined && version?.isDeleteMarker === true)
    throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405);
  if (version !== undefined && !version.isDeleteMarker) return version;
  request.require('s3:ListBucket', bucket.arn);
  if (versionId !== undefined) {
    request.require('s3:ListBucketVersions', bucket.arn);
    throw new AwsError('NoSuchVersion', 'The specified version does not exist.', 404);
  }
  throw new AwsError('NoSuchKey', 'The specified key does not exist.', 404);
}

/**
 * The headers that are condition keys of s3:PutObject (Service Authorization Reference, Amazon S3,
 * "Condition keys"); none of them is a key itself.
 */
const encryptionHeaders = ['', '-aws-kms-key-id', '-customer-algorithm'].map(
  (name) => `x-amz-server-side-encryption${name}`,
);

/**
 * Refuses a write unless the caller may make it with the encryption that its headers ask for.
 * Nothing here encrypts.
 */
export function requirePut({ request, arn }: ObjectRequest): void {
  const context = encryptionHeaders.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[`s3:${name}`, value] as const];
  });
  request.require('s3:PutObject', arn, Object.fromEntries(context));
  // Who reads such an object has to send its key.
  if (request.headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined)
    throw notEmulated('s3', 'PutObject with a key of the customer');
}

const KEPT_HEADERS = new Set([
  'content-type',
  'content-encoding',
  'cache-control',
  'content-disposition',
  'content-language',
  'expires',
]);

const metadataPrefix = 'x-amz-meta-';

/** Keys and values of user metadata together: headers hold one byte a character. */
const MOST_METADATA_BYTES = 2048;

/** The headers that stay with an object. */
export function objectHeaders({ headers }: AwsRequest): Record<string, string> {
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith(metadataPrefix));
  const bytes = metadata.reduce(
    (sum, [name, value = '']) => sum + name.length - metadataPrefix.length + value.length,
    0,
  );
  if (bytes > MOST_METADATA_BYTES)
    throw new AwsError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size');
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name));
  return { 'content-type': 'binary/octet-stream', ...Object.fromEntries([...kept, ...metadata]) };
}

/** The version's id as a header, for buckets with versions. */
export function versionHeader(version: LocalObjectVersion): Record<string, string> {
  return version.versionId === 'null' ? {} : { 'x-amz-version-id': version.versionId };
}
