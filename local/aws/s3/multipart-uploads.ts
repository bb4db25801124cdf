import * as z from 'zod';
import { type AwsResponse, notEmulated, xmlResponse } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { container, element, malformedXml, readXml, S3_XMLNS } from '../wire/xml.ts';
import { checkWritePreconditions, checksumsOf } from './write-objects.ts';
import type { MultipartUpload } from './multipart-store.ts';
import { objectHeaders, requirePut, versionHeader } from './s3-request.ts';
import type { ObjectRequest, S3Deps } from './s3-request.ts';

/** Answers every request that names an upload, or begins one. */
export function multipartUpload(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request } = about;
  const uploadId = request.query.get('uploadId');
  if (uploadId === null) return begin(deps, about);
  switch (request.method) {
    case 'PUT':
      return addPart(deps, about, uploadId);
    case 'POST':
      return complete(deps, about, uploadId);
    case 'DELETE':
      return abort(deps, about, uploadId);
    default:
      return listParts(deps, about, uploadId);
  }
}

function begin({ uploads }: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  requirePut(about);
  const uploadId = uploads.begin({ bucket: bucket.name, key, headers: objectHeaders(request) });
  const result = [element('Bucket', bucket.name), element('Key', key), element('UploadId', uploadId)];
  return xmlResponse(container('InitiateMultipartUploadResult', result, S3_XMLNS));
}

function addPart(deps: S3Deps, about: ObjectRequest, uploadId: string): AwsResponse {
  const { request, arn } = about;
  request.require('s3:PutObject', arn);
  if (request.headers['x-amz-copy-source'] !== undefined) throw notEmulated('s3', 'UploadPartCopy');
  uploadFor(deps, about, uploadId);
  const number = Number(request.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new AwsError('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
  const content = request.body;
  const checksums = checksumsOf(request.headers, content);
  const etag = deps.uploads.addPart(uploadId, number, content);
  return { status: 200, headers: { etag: `"${etag}"`, ...checksums }, body: '' };
}

/** As many as S3 answers at most. */
const partsPage = 1000;

function listParts(deps: S3Deps, about: ObjectRequest, uploadId: string): AwsResponse {
  const { request, bucket, key, arn } = about;
  request.require('s3:ListMultipartUploadParts', arn);
  uploadFor(deps, about, uploadId);
  const limit = Math.min(partsPage, Number(request.query.get('max-parts') ?? partsPage));
  const found = deps.uploads.parts(uploadId, Number(request.query.get('part-number-marker') ?? 0), limit + 1);
  const parts = found.slice(0, limit);
  const result = [
    element('Bucket', bucket.name),
    element('Key', key),
    element('UploadId', uploadId),
    element('MaxParts', limit),
    element('IsTruncated', found.length > limit),
    element('NextPartNumberMarker', parts.at(-1)?.number),
    ...parts.map(({ number, etag, sizeBytes }) =>
      container('Part', [element('PartNumber', number), element('ETag', `"${etag}"`), element('Size', sizeBytes)]),
    ),
  ];
  return xmlResponse(container('ListPartsResult', result, S3_XMLNS));
}

const part = z.object({ PartNumber: z.string(), ETag: z.string() });

/** The body of CompleteMultipartUpload; a list of one part is read as the part itself. */
const completion = z.object({
  CompleteMultipartUpload: z.object({ Part: z.union([z.array(part), part.transform((only) => [only])]) }),
});

function complete(deps: S3Deps, about: ObjectRequest, uploadId: string): AwsResponse {
  const { request, bucket, key, arn } = about;
  request.require('s3:PutObject', arn);
  const upload = uploadFor(deps, about, uploadId);
  checkWritePreconditions(deps, about);
  const asked = completion.safeParse(readXml(request.body));
  if (!asked.success) throw malformedXml();
  const parts = asked.data.CompleteMultipartUpload.Part.map(({ PartNumber, ETag }) => ({
    number: Number(PartNumber),
    etag: ETag.replaceAll('"', ''),
  }));
  const assembled = parts.length === 0 ? undefined : deps.uploads.assemble(uploadId, parts);
  if (assembled === undefined)
    throw new AwsError('InvalidPart', 'One or more of the specified parts could not be found.');
  const version = deps.objects.put({
    bucket: bucket.name,
    key,
    ...assembled,
    headers: upload.headers,
    checksums: {},
    isVersioned: bucket.isVersioned,
  });
  deps.uploads.forget(uploadId);
  deps.notifier.notify(bucket, 'ObjectCreated:CompleteMultipartUpload', version);
  const location = `/${bucket.name}/${encodeURIComponent(key)}`;
  const names = [element('Location', location), element('Bucket', bucket.name), element('Key', key)];
  const result = [...names, element('ETag', `"${version.etag}"`)];
  return xmlResponse(container('CompleteMultipartUploadResult', result, S3_XMLNS), 200, versionHeader(version));
}

function abort(deps: S3Deps, about: ObjectRequest, uploadId: string): AwsResponse {
  about.request.require('s3:AbortMultipartUpload', about.arn);
  uploadFor(deps, about, uploadId);
  deps.uploads.forget(uploadId);
  return { status: 204, headers: {}, body: '' };
}

function uploadFor({ uploads }: S3Deps, { bucket, key }: ObjectRequest, uploadId: string): MultipartUpload {
  const upload = uploads.find(uploadId);
  if (upload === undefined || upload.bucket !== bucket.name || upload.key !== key)
    throw new AwsError('NoSuchUpload', 'The specified multipart upload does not exist.', { status: 404 });
  return upload;
}
