import type { RequestContext } from '../iam/conditions.ts';
import { type AwsRequest, type AwsResponse, xmlResponse } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { headerOf } from '../wire/read-request.ts';
import { container, element, S3_XMLNS } from '../wire/xml.ts';
import type { Bucket } from './buckets.ts';
import { lastModifiedText, type LocalObjectVersion } from './object-store.ts';
import { findForReading, type ObjectRequest, preconditionFailed, type S3Deps, versionHeader } from './s3-request.ts';

/** Answers GET and HEAD of an object. */
export function readObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request } = about;
  const version = findForReading(deps, about);
  checkPreconditions(about, version);
  const headers: Record<string, string> = {
    ...version.headers,
    ...(headerOf(request.headers, 'x-amz-checksum-mode') === 'ENABLED' ? version.checksums : {}),
    ...versionHeader(version),
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (request.method === 'HEAD')
    return { status: 200, headers: { ...headers, 'content-length': String(version.size) }, body: '' };
  const content = deps.objects.content(version);
  const range = requestedRange(headerOf(request.headers, 'range'), content.length);
  if (range === undefined) return { status: 200, headers, body: content };
  return {
    status: 206,
    // A checksum of the whole is no checksum of a part.
    headers: withoutChecksums({ ...headers, 'content-range': `bytes ${range.from}-${range.to}/${content.length}` }),
    body: content.subarray(range.from, range.to + 1),
  };
}

function checkPreconditions({ request }: ObjectRequest, version: LocalObjectVersion): void {
  const match = headerOf(request.headers, 'if-match');
  const noneMatch = headerOf(request.headers, 'if-none-match');
  const quoted = `"${version.etag}"`;
  if (match !== undefined && ![quoted, version.etag, '*'].includes(match)) throw preconditionFailed();
  if (noneMatch !== undefined && [quoted, version.etag, '*'].includes(noneMatch))
    throw new AwsError('NotModified', 'Not Modified', { status: 304 });
}

function requestedRange(header: string | undefined, size: number): { from: number; to: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const isSuffix = match[1] === '';
  const from = isSuffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const to = isSuffix || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (from > to) throw new AwsError('InvalidRange', 'The requested range is not satisfiable', { status: 416 });
  return { from, to };
}

function withoutChecksums(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-')));
}

// ListObjectsV2 and ListObjectVersions.

/** One line of a listing: an object (or version), or a common prefix standing for many. */
type Line = { readonly version: LocalObjectVersion } | { readonly prefix: string };

interface Page {
  readonly lines: readonly Line[];
  readonly isTruncated: boolean;
}

/** The objects of a bucket, one page of them. */
export function listObjects(deps: S3Deps, request: AwsRequest, bucket: Bucket): AwsResponse {
  const { query } = request;
  const prefix = query.get('prefix') ?? '';
  request.require('s3:ListBucket', bucket.arn, listingContext(query));
  const token = query.get('continuation-token');
  const after = token === null ? (query.get('start-after') ?? '') : decodeToken(token);
  const current = deps.objects
    .list(bucket.name, prefix)
    .filter(({ isLatest, isDeleteMarker }) => isLatest && !isDeleteMarker);
  const { lines, isTruncated } = page(current, query, (version) => byteOrder(version.key, after) > 0, after);
  const last = lines.at(-1);
  const encode = encoder(query);
  const result = [
    element('Name', bucket.name),
    element('Prefix', encode(prefix)),
    element('KeyCount', lines.length),
    element('MaxKeys', maxKeys(query)),
    element('EncodingType', query.get('encoding-type') ?? undefined),
    element('Delimiter', query.get('delimiter') ?? undefined),
    element('IsTruncated', isTruncated),
    ...(isTruncated && last !== undefined ? [element('NextContinuationToken', encodeToken(nameOf(last)))] : []),
    ...lines.map((line) => ('version' in line ? objectXml(line.version, encode) : prefixXml(line.prefix, encode))),
  ];
  return xmlResponse(container('ListBucketResult', result, S3_XMLNS));
}

/** Every version of the objects of a bucket, newest first for each key; one page of them. */
export function listObjectVersions(deps: S3Deps, request: AwsRequest, bucket: Bucket): AwsResponse {
  const { query } = request;
  const prefix = query.get('prefix') ?? '';
  request.require('s3:ListBucketVersions', bucket.arn, listingContext(query));
  const keyMarker = query.get('key-marker') ?? '';
  const versionMarker = query.get('version-id-marker');
  const marked = versionMarker === null ? undefined : deps.objects.find(bucket.name, keyMarker, versionMarker);
  const isAfter = (version: LocalObjectVersion): boolean =>
    byteOrder(version.key, keyMarker) > 0 ||
    (marked !== undefined && version.key === keyMarker && version.sequence < marked.sequence);
  const { lines, isTruncated } = page(deps.objects.list(bucket.name, prefix), query, isAfter, keyMarker);
  const encode = encoder(query);
  const last = lines.at(-1);
  const next =
    !isTruncated || last === undefined
      ? []
      : [
          element('NextKeyMarker', encode(nameOf(last))),
          ...('version' in last ? [element('NextVersionIdMarker', last.version.versionId)] : []),
        ];
  const result = [
    element('Name', bucket.name),
    element('Prefix', encode(prefix)),
    element('MaxKeys', maxKeys(query)),
    element('EncodingType', query.get('encoding-type') ?? undefined),
    element('IsTruncated', isTruncated),
    ...next,
    ...lines.map((line) => ('version' in line ? versionXml(line.version, encode) : prefixXml(line.prefix, encode))),
  ];
  return xmlResponse(container('ListVersionsResult', result, S3_XMLNS));
}

/**
 * What a policy may ask of a listing. A parameter that is not sent has no key: a condition on it
 * does not hold, not even for the empty text.
 */
function listingContext(query: URLSearchParams): RequestContext {
  const given = ['prefix', 'delimiter'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[`s3:${name}`, value] as const];
  });
  return Object.fromEntries(given);
}

function page(
  versions: readonly LocalObjectVersion[],
  query: URLSearchParams,
  isAfter: (version: LocalObjectVersion) => boolean,
  after: string,
): Page {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const max = maxKeys(query);
  const lines: Line[] = [];
  for (const version of versions) {
    if (!isAfter(version)) continue;
    const common = commonPrefix(version.key, prefix, delimiter);
    const last = lines.at(-1);
    // A common prefix is one line, on this page or, if the marker is that prefix, on the one
    // before.
    if (common !== undefined && (common === after || (last !== undefined && nameOf(last) === common))) continue;
    if (lines.length === max) return { lines, isTruncated: max > 0 };
    lines.push(common === undefined ? { version } : { prefix: common });
  }
  return { lines, isTruncated: false };
}

/** What stands for all keys with this beginning, up to the delimiter after the prefix. */
function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

/**
 * S3 orders keys by their UTF-8 bytes, which differs from JavaScript's order beyond the basic
 * plane.
 */
function byteOrder(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function nameOf(line: Line): string {
  return 'version' in line ? line.version.key : line.prefix;
}

function maxKeys(query: URLSearchParams): number {
  const asked = Number(query.get('max-keys') ?? 1000);
  if (!Number.isInteger(asked) || asked < 0) throw new AwsError('InvalidArgument', 'max-keys must be a whole number');
  return Math.min(asked, 1000);
}

function encoder(query: URLSearchParams): (text: string) => string {
  if (query.get('encoding-type') !== 'url') return (text) => text;
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
}

const encodeToken = (key: string): string => Buffer.from(key).toString('base64url');
const decodeToken = (token: string): string => Buffer.from(token, 'base64url').toString('utf8');

function objectXml(version: LocalObjectVersion, encode: (text: string) => string): string {
  return container('Contents', [element('Key', encode(version.key)), ...detailsXml(version)]);
}

function detailsXml({ lastModified, etag, size }: LocalObjectVersion): string[] {
  return [
    element('LastModified', lastModifiedText(lastModified)),
    element('ETag', `"${etag}"`),
    element('Size', size),
    element('StorageClass', 'STANDARD'),
  ];
}

function versionXml(version: LocalObjectVersion, encode: (text: string) => string): string {
  const name = [element('Key', encode(version.key)), element('VersionId', version.versionId)];
  const isLatest = element('IsLatest', version.isLatest);
  if (!version.isDeleteMarker) return container('Version', [...name, isLatest, ...detailsXml(version)]);
  const modified = element('LastModified', lastModifiedText(version.lastModified));
  return container('DeleteMarker', [...name, isLatest, modified]);
}

function prefixXml(prefix: string, encode: (text: string) => string): string {
  return container('CommonPrefixes', element('Prefix', encode(prefix)));
}
