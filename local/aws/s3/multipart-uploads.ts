/**
 * Uploads in parts, as `aws s3 cp` makes them of a large file. They are kept in memory until they
 * are whole.
 */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type AwsResponse, xmlResponse } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import { container, element, malformedXml, readXml, record, S3_XMLNS } from '../wire/xml.ts';
import {
  type MultipartUpload,
  objectHeaders,
  type ObjectRequest,
  requirePut,
  type S3Deps,
  versionHeader,
} from './s3-request.ts';

/** Answers every request that names an upload, or begins one. */
export function multipartUpload(deps: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key, arn } = about;
  const uploadId = request.query.get('uploadId');
  if (uploadId === null) return begin(deps, about);
  request.require(actions[request.method] ?? 's3:PutObject', arn);
  const upload = deps.uploads.get(uploadId);
  if (upload === undefined || upload.bucket !== bucket.name || upload.key !== key)
    throw new AwsError('NoSuchUpload', 'The specified multipart upload does not exist.', 404);
  switch (request.method) {
    case 'PUT':
      return addPart(about, upload);
    case 'POST':
      return complete(deps, about, upload);
    case 'DELETE':
      deps.uploads.delete(uploadId);
      return { status: 204 };
    default:
      return listParts(about, upload);
  }
}

const actions: Readonly<Record<string, string>> = {
  GET: 's3:ListMultipartUploadParts',
  DELETE: 's3:AbortMultipartUpload',
};

function begin({ uploads }: S3Deps, about: ObjectRequest): AwsResponse {
  const { request, bucket, key } = about;
  requirePut(about);
  const UploadId = randomUUID();
  uploads.set(UploadId, { bucket: bucket.name, key, headers: objectHeaders(request), parts: new Map() });
  const result = { Bucket: bucket.name, Key: key, UploadId };
  return xmlResponse(record('InitiateMultipartUploadResult', result, S3_XMLNS));
}

function addPart({ request }: ObjectRequest, { parts }: MultipartUpload): AwsResponse {
  if (request.headers['x-amz-copy-source'] !== undefined) throw notEmulated('s3', 'UploadPartCopy');
  const number = Number(request.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new AwsError('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
  const etag = createHash('md5').update(request.body).digest('hex');
  parts.set(number, { etag, content: request.body });
  return { headers: { etag: `"${etag}"` } };
}

/** All parts on one page. */
function listParts({ bucket, key }: ObjectRequest, { parts }: MultipartUpload): AwsResponse {
  const sorted = [...parts].toSorted(([one], [other]) => one - other);
  const result = [
    element('Bucket', bucket.name),
    element('Key', key),
    element('IsTruncated', false),
    ...sorted.map(([PartNumber, { etag, content }]) =>
      record('Part', { PartNumber, ETag: `"${etag}"`, Size: content.length }),
    ),
  ];
  return xmlResponse(container('ListPartsResult', result, S3_XMLNS));
}

const part = z.object({ PartNumber: z.coerce.number(), ETag: z.string() });

/** The body of CompleteMultipartUpload; a list of one part is read as the part itself. */
const completion = z.object({
  CompleteMultipartUpload: z.object({ Part: z.union([z.array(part).min(1), part.transform((only) => [only])]) }),
});

function complete(deps: S3Deps, about: ObjectRequest, upload: MultipartUpload): AwsResponse {
  const { request, bucket, key } = about;
  const asked = completion.safeParse(readXml(request.body));
  if (!asked.success) throw malformedXml();
  const parts = asked.data.CompleteMultipartUpload.Part.map(({ PartNumber, ETag }) => {
    const found = upload.parts.get(PartNumber);
    if (found?.etag === ETag.replaceAll('"', '')) return found;
    throw new AwsError('InvalidPart', 'One or more of the specified parts could not be found.');
  });
  const digests = createHash('md5').update(Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex'))));
  const version = deps.objects.put({
    bucket: bucket.name,
    key,
    content: Buffer.concat(parts.map(({ content }) => content)),
    etag: `${digests.digest('hex')}-${parts.length}`,
    headers: upload.headers,
    isVersioned: bucket.isVersioned,
  });
  deps.uploads.delete(request.query.get('uploadId') ?? '');
  deps.notify(bucket, 'ObjectCreated:CompleteMultipartUpload', version);
  const result = { Bucket: bucket.name, Key: key, ETag: `"${version.etag}"` };
  return xmlResponse(record('CompleteMultipartUploadResult', result, S3_XMLNS), versionHeader(version));
}
