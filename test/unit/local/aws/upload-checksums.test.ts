import { describe, expect, test } from 'vitest';
import { checksumsOf } from '#local/aws/s3/write-objects.ts';

describe('the body of an upload', () => {
  test('is taken with the checksum that its headers name', () => {
    const crc32 = { 'x-amz-checksum-crc32': 'NhCmhg==' }; // of "hello"

    expect(checksumsOf({ ...crc32, 'content-type': 'text/csv' }, Buffer.from('hello'))).toEqual(crc32);
  });

  test.each<[string, Record<string, string>]>([
    ['CRC32', { 'x-amz-checksum-crc32': 'AAAAAA==' }],
    ['SHA-256', { 'x-amz-checksum-sha256': 'AAAA' }],
    ['MD5', { 'content-md5': 'AAAA' }],
  ])('is refused when its %s is wrong', (_name, headers) => {
    expect(() => checksumsOf(headers, Buffer.from('hello'))).toThrow('did not match');
  });
});
