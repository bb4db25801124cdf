/** The body of an upload: taken out of the `aws-chunked` framing that SDKs use, and checked against its checksums. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { AwsError } from '../wire/aws-error.ts';
import { headerText } from '../wire/headers.ts';

/** What was uploaded, without framing. */
export interface UploadBody {
  readonly content: Buffer;
  /** `x-amz-checksum-…` of headers and trailers, handed back to readers who ask. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Reads and checks an upload. */
export function readUploadBody(headers: IncomingHttpHeaders, raw: Buffer): UploadBody {
  const isChunked =
    headerText(headers, 'content-encoding')?.includes('aws-chunked') === true ||
    headerText(headers, 'x-amz-content-sha256')?.startsWith('STREAMING-') === true;
  const { content, trailers } = isChunked ? decodeAwsChunked(raw) : { content: raw, trailers: {} };
  const checksums: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(trailers)]) {
    const isChecksum = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/.test(name);
    if (isChecksum && typeof value === 'string') checksums[name] = value;
  }
  verify(content, checksums, headerText(headers, 'content-md5'));
  return { content, checksums };
}

function decodeAwsChunked(raw: Buffer): { content: Buffer; trailers: Record<string, string> } {
  const chunks: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = raw.indexOf('\r\n', at);
    if (end < 0) throw new AwsError('IncompleteBody', 'The request body ended inside a chunk.');
    const text = raw.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const size = Number.parseInt(line().split(';')[0] ?? '', 16);
    if (!Number.isInteger(size) || at + size > raw.length)
      throw new AwsError('IncompleteBody', 'The request body holds a chunk without its bytes.');
    if (size === 0) break;
    chunks.push(raw.subarray(at, at + size));
    at += size + 2;
  }
  const trailers: Record<string, string> = {};
  for (const text of raw.toString('latin1', at).split('\r\n')) {
    const colon = text.indexOf(':');
    if (colon > 0) trailers[text.slice(0, colon).trim().toLowerCase()] = text.slice(colon + 1).trim();
  }
  return { content: Buffer.concat(chunks), trailers };
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
