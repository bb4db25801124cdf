/** PutObject, CopyObject and DeleteObject; each tells the bucket's queues what happened. */
import { type AwsResponse, xmlResponse } from '../wire/aws-service.ts';
import { record, S3_XMLNS } from '../wire/xml.ts';
import { lastModifiedText } from './read-objects.ts';
import {
  bucketNamed,
  findForReading,
  objectHeaders,
  type ObjectRequest,
  requirePut,
  type S3Deps,
  splitPath,
  versionHeader,
} from './s3-request.ts';

/** Stores an object and notifies. */
export function putObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  requirePut(about);
  const { name, isVersioned } = bucket;
  const headers = objectHeaders(request);
  const version = deps.objects.put({ bucket: name, key, content: request.body, headers, isVersioned });
  deps.notify(bucket, 'ObjectCreated:Put', version);
  return { headers: { etag: `"${version.etag}"`, ...versionHeader(version) } };
}

/** Copies an object (or one version of it) and notifies. */
export function copyObject(deps: S3Deps, about: ObjectRequest, copySource: string): AwsResponse {
  const { request, bucket, key } = about;
  const [path = '', query = ''] = copySource.split('?');
  const source = splitPath(path.startsWith('/') ? path : `/${path}`);
  const sourceBucket = bucketNamed(deps, source.bucket);
  const from = findForReading(deps, {
    request: { ...request, query: new URLSearchParams(query) },
    bucket: sourceBucket,
    key: source.key,
    arn: `${sourceBucket.arn}/${source.key}`,
  });
  requirePut(about);
  const isReplaced = request.headers['x-amz-metadata-directive'] === 'REPLACE';
  const version = deps.objects.put({
    bucket: bucket.name,
    key,
    content: deps.objects.content(from),
    headers: isReplaced ? objectHeaders(request) : from.headers,
    isVersioned: bucket.isVersioned,
  });
  deps.notify(bucket, 'ObjectCreated:Copy', version);
  const result = { LastModified: lastModifiedText(version.lastModified), ETag: `"${version.etag}"` };
  return xmlResponse(record('CopyObjectResult', result, S3_XMLNS), versionHeader(version));
}

/** Deletes an object, or one version for good, and notifies. */
export function deleteObject(deps: S3Deps, { request, bucket, key, arn }: ObjectRequest): AwsResponse {
  const versionId = request.query.get('versionId') ?? undefined;
  request.require(versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', arn);
  const removed =
    versionId === undefined
      ? deps.objects.remove(bucket.name, key, bucket.isVersioned)
      : deps.objects.removeVersion(bucket.name, key, versionId);
  if (removed === undefined) return { status: 204 };
  const isNewMarker = versionId === undefined && removed.isDeleteMarker;
  deps.notify(bucket, isNewMarker ? 'ObjectRemoved:DeleteMarkerCreated' : 'ObjectRemoved:Delete', removed);
  const marker: Record<string, string> = removed.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {};
  return { status: 204, headers: { ...versionHeader(removed), ...marker } };
}
