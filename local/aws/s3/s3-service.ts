import type { AwsRequest, AwsResponse, AwsService } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import { type Bucket, bucketSettings } from './buckets.ts';
import { multipartUpload } from './multipart-uploads.ts';
import { listObjects, listObjectVersions, readObject } from './read-objects.ts';
import { bucketNamed, type ObjectRequest, type S3Deps, splitPath } from './s3-request.ts';
import { copyObject, deleteObject, putObject } from './write-objects.ts';

/** Query parameters that select an operation which is not offered here (`?acl`, `?tagging`, …). */
const SUBRESOURCES =
  'location acl tagging policy cors lifecycle delete encryption attributes retention legal-hold logging restore'.split(
    ' ',
  );

/**
 * Headers that would change what an operation does. A download in ranges asks by `if-match` for the
 * same object.
 */
const conditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/**
 * The headers of S3 that mean something here; those of checksums do too, since the digest of each
 * body is checked. Any other would change what is stored, or which permission AWS asks for.
 */
const ownHeaders =
  /^x-amz-(?:date|content-sha256|security-token|user-agent|meta-.*|copy-source|metadata-directive|server-side-encryption(?:-aws-kms-key-id|-customer-(?:algorithm|key|key-md5))?|sdk-checksum-algorithm|checksum-[a-z0-9]+|mp-object-size)$/;

/** "Naming Amazon S3 objects" (Amazon S3 User Guide): the bytes of a key in UTF-8. */
const longestKeyBytes = 1024;

export function createS3Service(deps: S3Deps): AwsService {
  return {
    name: 's3',
    protocol: 's3',
    handle(request) {
      const { method, query, headers } = request;
      const { bucket: bucketName, key } = splitPath(request.path);
      const subresource = SUBRESOURCES.find((name) => query.has(name));
      if (subresource !== undefined) throw notEmulated('s3', `${method} ?${subresource}`);
      const condition = conditions.slice(method === 'GET' ? 1 : 0).find((name) => headers[name] !== undefined);
      if (condition !== undefined) throw notEmulated('s3', `${method} with ${condition}`);
      const foreign = Object.keys(headers).find((name) => name.startsWith('x-amz-') && !ownHeaders.test(name));
      if (foreign !== undefined) throw notEmulated('s3', `${method} with ${foreign}`);
      if (bucketName === '') throw notEmulated('s3', 'ListBuckets');
      if (Buffer.byteLength(key) > longestKeyBytes) throw new AwsError('KeyTooLongError', 'Your key is too long');
      const bucket = bucketNamed(deps, bucketName);
      if (key === '') return bucketOperation(deps, request, bucket);
      return objectOperation(deps, { request, bucket, key, arn: `${bucket.arn}/${key}` });
    },
  };
}

function objectOperation(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { method, query, headers } = about.request;
  if (query.has('uploads') || query.has('uploadId')) return multipartUpload(deps, about);
  const { 'x-amz-copy-source': copySource } = headers;
  switch (method) {
    case 'GET':
    case 'HEAD':
      return readObject(deps, about);
    case 'PUT':
      return copySource === undefined ? putObject(deps, about) : copyObject(deps, about, copySource);
    case 'DELETE':
      return deleteObject(deps, about);
    default:
      throw notEmulated('s3', `${method} object`);
  }
}

function bucketOperation(deps: S3Deps, request: AwsRequest, bucket: Bucket): AwsResponse {
  const { method, query } = request;
  if (method !== 'GET') throw notEmulated('s3', `${method} bucket`);
  if (query.has('versions')) return listObjectVersions(deps, request, bucket);
  if (query.get('list-type') === '2') return listObjects(deps, request, bucket);
  const settings = bucketSettings(request, bucket);
  if (settings === undefined) throw notEmulated('s3', `GET bucket ?${query}`);
  return settings;
}
