import { type AwsRequest, type AwsResponse, xmlResponse } from '../wire/aws-service.ts';
import { AwsError } from '../aws-error.ts';
import { container, element, record, S3_XMLNS } from '../wire/xml.ts';
import type { Bucket } from './buckets.ts';
import type { LocalObjectVersion } from './object-store.ts';
import { findForReading, type ObjectRequest, type S3Deps, versionHeader } from './s3-request.ts';

/** Answers GET and HEAD of an object. */
export function readObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { method, headers: asked } = about.request;
  const version = findForReading(deps, about);
  const etag = `"${version.etag}"`;
  if (![undefined, etag].includes(asked['if-match']))
    throw new AwsError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412);
  const headers = {
    ...version.headers,
    ...versionHeader(version),
    etag,
    'last-modified': new Date(version.lastModified).toUTCString(),
  };
  if (method === 'HEAD') return { headers: { ...headers, 'content-length': String(version.size) } };
  const body = deps.objects.content(version);
  const [range, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(asked['range'] ?? '') ?? [];
  if (range === undefined) return { headers, body };
  const part = body.subarray(Number(from), to === '' ? undefined : Number(to) + 1);
  if (part.length === 0) throw new AwsError('InvalidRange', 'The requested range is not satisfiable', 416);
  const last = Number(from) + part.length - 1;
  return { status: 206, headers: { ...headers, 'content-range': `bytes ${from}-${last}/${body.length}` }, body: part };
}

/**
 * `LastModified` as S3's listings have it: in whole seconds, while events have milliseconds.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
 */
export function lastModifiedText(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString();
}

// ListObjectsV2 and ListObjectVersions.

/** One line of a listing: an object (or version), or a common prefix standing for many. */
type Line = { readonly version: LocalObjectVersion } | { readonly prefix: string };

/** A listing as it was asked for. */
interface Listing {
  readonly versions: readonly LocalObjectVersion[];
  readonly prefix: string;
  readonly delimiter: string;
  readonly max: number;
  /** Writes a key as the request wants it. */
  readonly encode: (text: string) => string;
  /** The elements that both listings have. */
  readonly head: readonly string[];
}

function readListing(deps: S3Deps, request: AwsRequest, bucket: Bucket, action: string): Listing {
  const { query } = request;
  // A parameter that is not sent has no key in a policy: a condition on it does not hold, not even
  // for the empty text.
  const given = ['prefix', 'delimiter'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[`s3:${name}`, value] as const];
  });
  request.require(action, bucket.arn, Object.fromEntries(given));
  const asked = Number(query.get('max-keys') ?? 1000);
  if (!Number.isInteger(asked) || asked < 1) throw new AwsError('InvalidArgument', 'max-keys must be a whole number');
  const max = Math.min(asked, 1000);
  const prefix = query.get('prefix') ?? '';
  const encoding = query.get('encoding-type') ?? undefined;
  const encode = (text: string): string =>
    encoding === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  const head = Object.entries({ Name: bucket.name, Prefix: encode(prefix), MaxKeys: max, EncodingType: encoding });
  return {
    versions: deps.objects.list(bucket.name, prefix),
    prefix,
    delimiter: query.get('delimiter') ?? '',
    max,
    encode,
    head: head.map(([name, value]) => element(name, value)),
  };
}

/** The objects of a bucket, one page of them. */
export function listObjects(deps: S3Deps, request: AwsRequest, bucket: Bucket): AwsResponse {
  const listing = readListing(deps, request, bucket, 's3:ListBucket');
  const { encode } = listing;
  const after = Buffer.from(request.query.get('continuation-token') ?? '', 'base64url').toString('utf8');
  const current = listing.versions.filter(
    ({ isLatest, isDeleteMarker, key }) => isLatest && !isDeleteMarker && byteOrder(key, after) > 0,
  );
  const { lines, next } = page(current, listing, after);
  const token = next === undefined ? undefined : Buffer.from(nameOf(next)).toString('base64url');
  const result = [
    ...listing.head,
    element('IsTruncated', next !== undefined),
    element('NextContinuationToken', token),
    ...lines.map((line) =>
      'version' in line
        ? record('Contents', { Key: encode(line.version.key), ...detailsOf(line.version) })
        : prefixXml(line.prefix, encode),
    ),
  ];
  return xmlResponse(container('ListBucketResult', result, S3_XMLNS));
}

/** Every version of the objects of a bucket, newest first for each key; one page of them. */
export function listObjectVersions(deps: S3Deps, request: AwsRequest, bucket: Bucket): AwsResponse {
  const listing = readListing(deps, request, bucket, 's3:ListBucketVersions');
  const { encode } = listing;
  const keyMarker = request.query.get('key-marker') ?? '';
  const versionMarker = request.query.get('version-id-marker');
  const marked = versionMarker === null ? undefined : deps.objects.find(bucket.name, keyMarker, versionMarker);
  const left = listing.versions.filter(
    ({ key, sequence }) =>
      byteOrder(key, keyMarker) > 0 || (marked !== undefined && key === keyMarker && sequence < marked.sequence),
  );
  const { lines, next } = page(left, listing, keyMarker);
  const result = [
    ...listing.head,
    element('IsTruncated', next !== undefined),
    element('NextKeyMarker', next && encode(nameOf(next))),
    element('NextVersionIdMarker', next && 'version' in next ? next.version.versionId : undefined),
    ...lines.map((line) => ('version' in line ? versionXml(line.version, encode) : prefixXml(line.prefix, encode))),
  ];
  return xmlResponse(container('ListVersionsResult', result, S3_XMLNS));
}

/** `next` is the last line of a page that others follow. */
function page(
  versions: readonly LocalObjectVersion[],
  { prefix, delimiter, max }: Listing,
  after: string,
): { readonly lines: readonly Line[]; readonly next?: Line } {
  const lines: Line[] = [];
  for (const version of versions) {
    const common = commonPrefix(version.key, prefix, delimiter);
    const last = lines.at(-1);
    // A common prefix is one line, on this page or, if the marker is that prefix, on the one
    // before.
    if (common !== undefined && (common === after || (last !== undefined && nameOf(last) === common))) continue;
    if (lines.length === max) return { lines, next: last };
    lines.push(common === undefined ? { version } : { prefix: common });
  }
  return { lines };
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

function detailsOf({ lastModified, etag, size }: LocalObjectVersion) {
  return { LastModified: lastModifiedText(lastModified), ETag: `"${etag}"`, Size: size };
}

function versionXml(version: LocalObjectVersion, encode: (text: string) => string): string {
  const { key, versionId: VersionId, isLatest: IsLatest, isDeleteMarker, lastModified } = version;
  const name = { Key: encode(key), VersionId, IsLatest };
  if (!isDeleteMarker) return record('Version', { ...name, ...detailsOf(version) });
  return record('DeleteMarker', { ...name, LastModified: lastModifiedText(lastModified) });
}

function prefixXml(prefix: string, encode: (text: string) => string): string {
  return container('CommonPrefixes', element('Prefix', encode(prefix)));
}
