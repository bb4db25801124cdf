/** PutObject, CopyObject and DeleteObject; each tells the bucket's queues what happened. */
import { AwsError } from '../wire/aws-error.ts';
import { headerText } from '../wire/headers.ts';
import { xmlResponse } from '../wire/messages.ts';
import type { AwsResponse } from '../wire/messages.ts';
import { container, element } from '../wire/xml.ts';
import { readUploadBody } from './aws-chunked.ts';
import {
  S3_XMLNS,
  bucketNamed,
  findForReading,
  objectHeaders,
  preconditionFailed,
  requirePut,
  splitPath,
  versionHeader,
} from './s3-request.ts';
import { lastModifiedText } from './object-store.ts';
import type { ObjectRequest, S3Deps } from './s3-request.ts';

/** Stores an object and notifies. */
export function putObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  requirePut(about);
  checkWritePreconditions(deps, about);
  const { content, checksums } = readUploadBody(request.headers, request.body);
  const headers = objectHeaders(request);
  const version = deps.objects.put({
    bucket: bucket.name,
    key,
    content,
    headers,
    checksums,
    isVersioned: bucket.isVersioned,
  });
  deps.notifier.notify(bucket, 'ObjectCreated:Put', version);
  return { status: 200, headers: { etag: `"${version.etag}"`, ...checksums, ...versionHeader(version) }, body: '' };
}

/** Copies an object (or one version of it) and notifies. */
export function copyObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  const source = copySource(headerText(request.headers, 'x-amz-copy-source') ?? '');
  const sourceBucket = bucketNamed(deps, source.bucket);
  const from = findForReading(deps, {
    request: { ...request, query: source.query },
    bucket: sourceBucket,
    key: source.key,
    arn: `${sourceBucket.arn}/${source.key}`,
  });
  requirePut(about);
  const isReplaced = headerText(request.headers, 'x-amz-metadata-directive') === 'REPLACE';
  const version = deps.objects.put({
    bucket: bucket.name,
    key,
    content: deps.objects.content(from),
    headers: isReplaced ? objectHeaders(request) : from.headers,
    checksums: from.checksums,
    isVersioned: bucket.isVersioned,
  });
  deps.notifier.notify(bucket, 'ObjectCreated:Copy', version);
  const modified = lastModifiedText(version.lastModified);
  const result = [element('LastModified', modified), element('ETag', `"${version.etag}"`)];
  return xmlResponse(container('CopyObjectResult', result, S3_XMLNS), 200, versionHeader(version));
}

/** Deletes an object, or one version for good, and notifies. */
export function deleteObject(deps: S3Deps, { request, bucket, key, arn }: ObjectRequest): AwsResponse {
  const versionId = request.query.get('versionId') ?? undefined;
  request.require(versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', arn);
  const removed =
    versionId === undefined
      ? deps.objects.remove(bucket.name, key, bucket.isVersioned)
      : deps.objects.removeVersion(bucket.name, key, versionId);
  if (removed === undefined) return { status: 204, headers: {}, body: '' };
  const isNewMarker = versionId === undefined && removed.isDeleteMarker;
  deps.notifier.notify(bucket, isNewMarker ? 'ObjectRemoved:DeleteMarkerCreated' : 'ObjectRemoved:Delete', removed);
  const marker: Record<string, string> = removed.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {};
  return { status: 204, headers: { ...versionHeader(removed), ...marker }, body: '' };
}

/** `If-None-Match: *` and `If-Match` on a write: the object as it stands decides. */
export function checkWritePreconditions(deps: S3Deps, { request, bucket, key }: ObjectRequest): void {
  const noneMatch = headerText(request.headers, 'if-none-match');
  const match = headerText(request.headers, 'if-match');
  if (noneMatch === undefined && match === undefined) return;
  const current = deps.objects.find(bucket.name, key);
  const exists = current !== undefined && !current.isDeleteMarker;
  if (noneMatch !== undefined && exists) throw preconditionFailed();
  if (match !== undefined && (!exists || match.replaceAll('"', '') !== current.etag)) throw preconditionFailed();
}

function copySource(header: string): { bucket: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = header.split('?');
  const { bucket, key } = splitPath(path.startsWith('/') ? path : `/${path}`);
  if (bucket === '' || key === '')
    throw new AwsError('InvalidArgument', 'Copy Source must mention the source bucket and key');
  return { bucket, key, query: new URLSearchParams(query) };
}
