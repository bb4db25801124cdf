/** GetObject and HeadObject. */
import { AwsError } from '../wire/aws-error.ts';
import { headerText } from '../wire/headers.ts';
import type { AwsResponse } from '../wire/messages.ts';
import type { ObjectVersion } from './object-store.ts';
import { findForReading, preconditionFailed, versionHeader } from './s3-request.ts';
import type { ObjectRequest, S3Deps } from './s3-request.ts';

/** Answers GET and HEAD of an object. */
export function readObject(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request } = about;
  const version = findForReading(deps, about);
  checkPreconditions(about, version);
  const headers: Record<string, string> = {
    ...version.headers,
    ...(headerText(request.headers, 'x-amz-checksum-mode') === 'ENABLED' ? version.checksums : {}),
    ...versionHeader(version),
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (request.method === 'HEAD')
    return { status: 200, headers: { ...headers, 'content-length': String(version.size) }, body: '' };
  const content = deps.objects.content(version);
  const range = requestedRange(headerText(request.headers, 'range'), content.length);
  if (range === undefined) return { status: 200, headers, body: content };
  return {
    status: 206,
    // A checksum of the whole is no checksum of a part.
    headers: withoutChecksums({ ...headers, 'content-range': `bytes ${range.from}-${range.to}/${content.length}` }),
    body: content.subarray(range.from, range.to + 1),
  };
}

function checkPreconditions({ request }: ObjectRequest, version: ObjectVersion): void {
  const match = headerText(request.headers, 'if-match');
  const noneMatch = headerText(request.headers, 'if-none-match');
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
