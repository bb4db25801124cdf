/** PutObject, CopyObject and DeleteObject; each tells the bucket's queues what happened. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { type AwsResponse, xmlResponse } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { headerOf } from '../wire/read-request.ts';
import { container, element, S3_XMLNS } from '../wire/xml.ts';
import { lastModifiedText } from './object-store.ts';
import {
  bucketNamed,
  findForReading,
  objectHeaders,
  type ObjectRequest,
  preconditionFailed,
  requirePut,
  type S3Deps,
  splitPath,
  versionHeader,
} from './s3-request.ts';

/** Stores an object and notifies. */
export function putObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  requirePut(about);
  checkWritePreconditions(deps, about);
  const content = request.body;
  const checksums = checksumsOf(request.headers, content);
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
  const source = copySource(headerOf(request.headers, 'x-amz-copy-source') ?? '');
  const sourceBucket = bucketNamed(deps, source.bucket);
  const from = findForReading(deps, {
    request: { ...request, query: source.query },
    bucket: sourceBucket,
    key: source.key,
    arn: `${sourceBucket.arn}/${source.key}`,
  });
  requirePut(about);
  const isReplaced = headerOf(request.headers, 'x-amz-metadata-directive') === 'REPLACE';
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
  const noneMatch = headerOf(request.headers, 'if-none-match');
  const match = headerOf(request.headers, 'if-match');
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

// The checksums of an upload. The body itself is signed, so it has no framing of a stream.

/**
 * Checks the body of an upload.
 * @returns `x-amz-checksum-…` of the headers, handed back to readers who ask
 */
export function checksumsOf(headers: IncomingHttpHeaders, content: Buffer): Readonly<Record<string, string>> {
  const isChecksum = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/;
  const given = Object.entries(headers).filter(([name]) => isChecksum.test(name));
  const checksums = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  verify(content, checksums, headerOf(headers, 'content-md5'));
  return checksums;
}

function verify(content: Buffer, checksums: Readonly<Record<string, string>>, contentMd5: string | undefined): void {
  const digest = (algorithm: string): string => createHash(algorithm).update(content).digest('base64');
  const wrong = (name: string, expected: () => string): boolean =>
    checksums[name] !== undefined && checksums[name] !== expected();
  if (contentMd5 !== undefined && contentMd5 !== digest('md5'))
    throw new AwsError('BadDigest', 'The Content-MD5 you specified did not match what we received.');
  // CRC32C and CRC64NVME have no implementation in Node: stored and handed back, not checked.
  if (
    wrong('x-amz-checksum-crc32', () => crc32Base64(content)) ||
    wrong('x-amz-checksum-sha1', () => digest('sha1')) ||
    wrong('x-amz-checksum-sha256', () => digest('sha256'))
  )
    throw new AwsError('BadDigest', 'The checksum you specified did not match the calculated checksum.');
}

function crc32Base64(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString('base64');
}
