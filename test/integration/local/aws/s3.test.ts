import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  NoSuchKey,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ListObjectVersionsCommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import { PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type JsonObject, parseJsonObject } from '#local/template/json.ts';
import { startLocalAws } from './start-local-aws.ts';

const Bucket = 'inbox-000000000000';
const ODD_KEYS = ['a b', 'a+b', 'a%20b', '100%', 'ärger/größe', '🚀', 'quo\'te"<&>', 'x?y#z=1', 'é~()!*'];
const aws = await startLocalAws();
afterAll(aws.close);
const s3 = new S3Client(aws.developer);
const sqs = new SQSClient(aws.developer);
beforeEach(async () => {
  for (const queue of ['Jobs', 'Heard']) await sqs.send(new PurgeQueueCommand({ QueueUrl: aws.queueUrl(queue) }));
});

async function put(Key: string, Body: PutObjectCommandInput['Body'] = 'x', more: Partial<PutObjectCommandInput> = {}) {
  return await s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
}

async function read(Key: string, VersionId?: string): Promise<string | undefined> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
  return await Body?.transformToString();
}

async function heard(queue: string): Promise<JsonObject[]> {
  const command = new ReceiveMessageCommand({ QueueUrl: aws.queueUrl(queue), MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(command);
  return Messages.map(({ Body }) => parseJsonObject(Body ?? '', 'message'));
}

describe('objects', () => {
  test('come back as they were put, with their metadata', async () => {
    const { ETag, VersionId } = await put('meta', 'hello', {
      ContentType: 'text/csv',
      Metadata: { 'file-id': 'f-1', 'scanner-id': 's-1' },
    });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'meta' }));

    expect(await read('meta')).toBe('hello');
    expect(head).toMatchObject({
      ContentLength: 5,
      ContentType: 'text/csv',
      Metadata: { 'file-id': 'f-1', 'scanner-id': 's-1' },
      ETag,
      VersionId,
    });
    expect(ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
  });

  test('are not taken from a stream, whose bytes no client signs', async () => {
    const streamed = put('streamed', Readable.from([Buffer.from('hel'), Buffer.from('lo')]), { ContentLength: 5 });

    await expect(streamed).rejects.toThrow('The stage takes signed bodies only: send it whole');
  });

  test.each(ODD_KEYS)('keep the key %j, in listings and events too', async (name) => {
    const key = `datasets/${name}`;
    await put(key, name);
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: key }));
    const [message] = await heard('Jobs');
    const told = /"key":"([^"]*)"/.exec(JSON.stringify(message))?.[1] ?? '';

    expect(await read(key)).toBe(name);
    expect(Contents?.map(({ Key }) => Key)).toContain(key);
    expect(decodeURIComponent(told.replaceAll('+', ' '))).toBe(key);
    expect(told).toMatch(/^[a-zA-Z0-9/%+._*-]+$/);
  });

  test('answer a range, for downloads in pieces', async () => {
    await put('pieces', '0123456789');
    const { Body, ContentRange } = await s3.send(new GetObjectCommand({ Bucket, Key: 'pieces', Range: 'bytes=2-4' }));

    expect(await Body?.transformToString()).toBe('234');
    expect(ContentRange).toBe('bytes 2-4/10');
  });

  test('are not written on a condition, which is not emulated', async () => {
    await expect(put('once', 'first', { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'NotEmulated' });
  });

  test.each([
    ['x-amz-acl', { ACL: 'public-read' }],
    ['x-amz-tagging', { Tagging: 'a=b' }],
    ['x-amz-object-lock-mode', { ObjectLockMode: 'GOVERNANCE' }],
    ['x-amz-storage-class', { StorageClass: 'DEEP_ARCHIVE' }],
    ['x-amz-website-redirect-location', { WebsiteRedirectLocation: '/x' }],
  ] as const)(
    'are not written with %s, which would ask for another permission or change how it is read',
    async (name, how) => {
      const about = { name: 'NotEmulated', message: expect.stringContaining(`with ${name} `) };

      await expect(put('k', 'x', how)).rejects.toMatchObject(about);
      await expect(s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k', ...how }))).rejects.toMatchObject(
        about,
      );
    },
  );

  // "Naming Amazon S3 objects" (Amazon S3 User Guide): a key has at most 1,024 bytes in UTF-8.
  // Longer ones used to be taken.
  test('have keys of at most 1,024 bytes', async () => {
    const longest = `${'é'.repeat(511)}xy`;
    await put(longest, 'hello');

    await expect(put(`${longest}z`, 'hello')).rejects.toMatchObject({ name: 'KeyTooLongError' });
    await expect(read(`${longest}z`)).rejects.toMatchObject({ name: 'KeyTooLongError' });
    expect(await read(longest)).toBe('hello');
  });
});

describe('versions', () => {
  test('stay when the object is deleted, behind a marker that can be taken away', async () => {
    const { VersionId } = await put('gone', 'still here');
    const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }));

    await expect(read('gone')).rejects.toBeInstanceOf(NoSuchKey);
    expect(await read('gone', VersionId)).toBe('still here');
    expect(marker.DeleteMarker).toBe(true);

    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone', VersionId: marker.VersionId }));
    expect(await read('gone')).toBe('still here');
  });

  test('are listed newest first, markers too, page by page', async () => {
    for (const body of ['1', '2']) await put('list/a', body);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'list/a' }));
    await put('list/b');
    const listed: string[] = [];
    let page: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
    while (page !== undefined) {
      const answer: ListObjectVersionsCommandOutput = await s3.send(
        new ListObjectVersionsCommand({ Bucket, Prefix: 'list/', MaxKeys: 1, ...page }),
      );
      for (const { Key, IsLatest } of answer.Versions ?? []) listed.push(`${Key} ${IsLatest}`);
      for (const { Key, IsLatest } of answer.DeleteMarkers ?? []) listed.push(`${Key} marker ${IsLatest}`);
      const next = { KeyMarker: answer.NextKeyMarker, VersionIdMarker: answer.NextVersionIdMarker };
      page = answer.IsTruncated === true ? next : undefined;
    }

    expect(listed).toEqual(['list/a marker true', 'list/a false', 'list/a false', 'list/b true']);
  });

  test('do not exist in a bucket without versioning', async () => {
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: 'plain', Key: 'k', Body: 'x' }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'plain', Key: 'k' }));
    const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket: 'plain' }));

    expect(VersionId).toBeUndefined();
    expect(Versions).toBeUndefined();
  });
});

test('listings fold keys at the delimiter and go on where a page ended', async () => {
  for (const key of ['tree/a', 'tree/b/1', 'tree/b/2', 'tree/c', 'tree/d/1']) await put(key);
  const names: string[] = [];
  let token: string | undefined;
  do {
    const page: { Bucket: string; Prefix: string; Delimiter: string; MaxKeys: number } = {
      Bucket,
      Prefix: 'tree/',
      Delimiter: '/',
      MaxKeys: 2,
    };
    const answer = await s3.send(new ListObjectsV2Command({ ...page, ContinuationToken: token }));
    names.push(...(answer.Contents ?? []).map(({ Key = '' }) => Key));
    names.push(...(answer.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
    token = answer.NextContinuationToken;
  } while (token !== undefined);

  expect(names.toSorted()).toEqual(['tree/a', 'tree/b/', 'tree/c', 'tree/d/']);
});

describe('uploads in parts', () => {
  test('become one object when complete, and are told then', async () => {
    const Key = 'datasets/parts';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, Metadata: { a: 'b' } }));
    const Parts = [];
    for (const [index, Body] of ['hel', 'lo'].entries()) {
      const part = { Bucket, Key, UploadId, PartNumber: index + 1 };
      const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body }));
      Parts.push({ PartNumber: index + 1, ETag });
    }
    expect(await heard('Jobs')).toEqual([]);
    await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

    expect(await read(Key)).toBe('hello');
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).Metadata).toEqual({ a: 'b' });
    expect(await heard('Jobs')).toMatchObject([{ Records: [{ eventName: 'ObjectCreated:CompleteMultipartUpload' }] }]);
  });

  test('can be listed part by part, and are gone when given up', async () => {
    const upload = { Bucket, Key: 'in-progress' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
    for (const PartNumber of [2, 1, 3]) {
      await s3.send(new UploadPartCommand({ ...upload, UploadId, PartNumber, Body: 'x'.repeat(PartNumber) }));
    }

    const { Parts } = await s3.send(new ListPartsCommand({ ...upload, UploadId }));

    expect(Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    await s3.send(new AbortMultipartUploadCommand({ ...upload, UploadId }));
    const part = s3.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: 'x' }));
    await expect(part).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });
});

describe('notifications', () => {
  test('say what S3 says', async () => {
    const { VersionId, ETag } = await put('datasets/new file.csv', 'hello');

    expect(await heard('Jobs')).toMatchObject([
      {
        Records: [
          {
            eventVersion: '2.1',
            eventSource: 'aws:s3',
            awsRegion: 'eu-west-1',
            eventName: 'ObjectCreated:Put',
            s3: {
              bucket: { name: Bucket, arn: `arn:aws:s3:::${Bucket}`, ownerIdentity: { principalId: '000000000000' } },
              object: { key: 'datasets/new+file.csv', size: 5, eTag: ETag?.replaceAll('"', ''), versionId: VersionId },
            },
          },
        ],
      },
    ]);
  });

  test('tell of copies, and only where prefix and suffix say', async () => {
    const { VersionId } = await put('elsewhere/original', 'v1');
    await put('elsewhere/original', 'v2');
    expect(await heard('Jobs')).toEqual([]);
    const CopySource = `${Bucket}/elsewhere/original?versionId=${VersionId}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'datasets/copy', CopySource }));

    expect(await read('datasets/copy')).toBe('v1');
    expect(await heard('Jobs')).toMatchObject([{ Records: [{ eventName: 'ObjectCreated:Copy' }] }]);
  });

  test('are not lost in silence if the queue does not let S3 in', async () => {
    const before = aws.refused.length;
    await put('a.secret');
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a.secret' }));

    expect(await heard('Heard')).toEqual([]);
    expect(aws.refused.slice(before)).toMatchObject([
      {
        from: 's3.amazonaws.com',
        target: 'arn:aws:sqs:eu-west-1:000000000000:App-Heard',
        message: expect.stringContaining('s3.amazonaws.com is not authorized to perform: sqs:SendMessage'),
      },
    ]);
  });
});

test('a listing has whole seconds, as S3 has (S3 API Reference, ListObjectVersions, the sample answer)', async () => {
  await using clocked = await startLocalAws({ now: () => Date.parse('2026-11-20T10:00:00.789Z') });
  const client = new S3Client({ ...clocked.developer, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));

  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
  const { Versions } = await client.send(new ListObjectVersionsCommand({ Bucket }));
  client.destroy();

  const times = [...(Contents ?? []), ...(Versions ?? [])].map(({ LastModified }) => LastModified?.toISOString());
  expect(times).toEqual(['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z']);
});

test('an operation that is not emulated is named', async () => {
  const tagging = s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'k', Tagging: { TagSet: [] } }));

  await expect(tagging).rejects.toMatchObject({
    name: 'NotEmulated',
    message: expect.stringContaining('PUT ?tagging'),
  });
});
