import { type AwsRequest, type AwsResponse, type AwsService, notEmulated } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { headerOf } from '../wire/read-request.ts';
import { type Bucket, bucketSettings } from './buckets.ts';
import { listObjects, listObjectVersions, readObject } from './read-objects.ts';
import { multipartUpload } from './multipart-uploads.ts';
import { bucketNamed, splitPath } from './s3-request.ts';
import type { ObjectRequest, S3Deps } from './s3-request.ts';
import { copyObject, deleteObject, putObject } from './write-objects.ts';

/** Query parameters that select an operation which is not offered here (`?acl`, `?tagging`, …). */
const SUBRESOURCES =
  'location acl tagging policy cors lifecycle delete versioning notification encryption attributes retention legal-hold logging restore'.split(
    ' ',
  );

/** "Naming Amazon S3 objects" (Amazon S3 User Guide): the bytes of a key in UTF-8. */
const longestKeyBytes = 1024;

/** Creates the service. */
export function createS3Service(deps: S3Deps): AwsService {
  return {
    name: 's3',
    protocol: 's3',
    handle(request) {
      const { bucket: bucketName, key } = splitPath(request.path);
      const known = bucketName !== '' && key === '' ? deps.buckets.get(bucketName) : undefined;
      const settings = known && bucketSettings(request, known);
      if (settings !== undefined) return settings;
      const subresource = SUBRESOURCES.find((name) => request.query.has(name));
      if (subresource !== undefined) throw notEmulated('s3', `${request.method} ?${subresource}`);
      if (bucketName === '') throw notEmulated('s3', 'ListBuckets');
      if (Buffer.byteLength(key) > longestKeyBytes) {
        throw new AwsError('KeyTooLongError', 'Your key is too long');
      }
      const bucket = bucketNamed(deps, bucketName);
      if (key === '') return bucketOperation(deps, request, bucket);
      return objectOperation(deps, { request, bucket, key, arn: `${bucket.arn}/${key}` });
    },
  };
}

function objectOperation(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { method, query, headers } = about.request;
  if (query.has('uploads') || query.has('uploadId')) return multipartUpload(deps, about);
  switch (method) {
    case 'GET':
    case 'HEAD':
      return readObject(deps, about);
    case 'PUT':
      return headerOf(headers, 'x-amz-copy-source') === undefined ? putObject(deps, about) : copyObject(deps, about);
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
  throw notEmulated('s3', `GET bucket ?${query}`);
}
