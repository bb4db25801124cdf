import { describe, expect, test } from 'vitest';
import { readUploadBody } from '#local/aws/s3/write-objects.ts';

const STREAMED = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'content-encoding': 'aws-chunked' };
const HELLO_CRC32 = 'NhCmhg=='; // of "hello"

describe('the body of an upload', () => {
  test('comes out of its chunks, with the checksum that trails it', () => {
    const raw = Buffer.from(
      `3;chunk-signature=abc\r\nhel\r\n2\r\nlo\r\n0\r\nx-amz-checksum-crc32:${HELLO_CRC32}\r\n\r\n`,
    );

    const { content, checksums } = readUploadBody(STREAMED, raw);

    expect(content.toString()).toBe('hello');
    expect(checksums).toEqual({ 'x-amz-checksum-crc32': HELLO_CRC32 });
  });

  test('is taken as it is without framing, even if it looks like chunks', () => {
    expect(readUploadBody({}, Buffer.from('3\r\nhel\r\n0\r\n')).content.toString()).toBe('3\r\nhel\r\n0\r\n');
  });

  test.each([['3\r\nhe'], ['zz\r\nhello\r\n0\r\n'], ['5']])('is refused when cut off: %j', (raw) => {
    expect(() => readUploadBody(STREAMED, Buffer.from(raw))).toThrow('The request body');
  });

  test.each<[string, Record<string, string>]>([
    ['CRC32', { 'x-amz-checksum-crc32': 'AAAAAA==' }],
    ['SHA-256', { 'x-amz-checksum-sha256': 'AAAA' }],
    ['MD5', { 'content-md5': 'AAAA' }],
  ])('is refused when its %s is wrong', (_name, headers) => {
    expect(() => readUploadBody(headers, Buffer.from('hello'))).toThrow('did not match');
  });
});
