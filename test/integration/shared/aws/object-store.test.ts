import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createObjectStore, type ObjectStore } from '../../../../shared/aws/object-store.ts';
import { type LocalAws, startLocalAws } from '../../local/aws/start-local-aws.ts';

const bucket = 'inbox-000000000000';
let aws: LocalAws;
let s3: S3Client;
let store: ObjectStore;

beforeAll(async () => {
  aws = await startLocalAws();
  s3 = new S3Client({ ...aws.developer, forcePathStyle: true });
  store = createObjectStore(s3);
});
afterAll(async () => {
  s3.destroy();
  await aws[Symbol.asyncDispose]();
});

async function put(key: string, body: string | Uint8Array): Promise<string> {
  const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  if (VersionId === undefined) throw new Error('the bucket keeps no versions');
  return VersionId;
}

describe('the current version of a key', () => {
  test('is told by a HEAD that names none, and is the newest', async () => {
    const first = await put('names.csv', 'one');
    const second = await put('names.csv', 'three');

    expect(await store.head({ bucket, key: 'names.csv' })).toMatchObject({ versionId: second, sizeBytes: 5 });
    expect(await store.head({ bucket, key: 'names.csv', versionId: first })).toMatchObject({ versionId: first });
  });

  test('is none where the key was deleted, while its versions are still there', async () => {
    const versionId = await put('gone.csv', 'one');
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'gone.csv' }));

    expect(await store.head({ bucket, key: 'gone.csv' })).toBeUndefined();
    expect(await store.head({ bucket, key: 'gone.csv', versionId })).toMatchObject({ versionId });
  });

  test('is none where there never was one', async () => {
    expect(await store.head({ bucket, key: 'none.csv.dataset.json' })).toBeUndefined();
    expect(await store.read({ bucket, key: 'none.csv.dataset.json' })).toBeUndefined();
    expect(await store.stream({ bucket, key: 'none.csv.dataset.json' })).toBeUndefined();
  });
});

describe('a stream', () => {
  test('is the body in pieces', async () => {
    const body = randomBytes(3_000_000);
    const versionId = await put('large.csv', body);

    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.stream({ bucket, key: 'large.csv', versionId })) ?? []) pieces.push(piece);

    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    expect(pieces.length).toBeGreaterThan(1);
  });

  test('is nothing where the object is empty', async () => {
    const versionId = await put('empty.csv', '');

    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.stream({ bucket, key: 'empty.csv', versionId })) ?? []) pieces.push(piece);

    expect(Buffer.concat(pieces)).toHaveLength(0);
  });

  test('that is left early lets its connection go: the next read is answered', async () => {
    const versionId = await put('left.csv', randomBytes(3_000_000));

    for (let turn = 0; turn < 60; turn += 1) {
      for await (const piece of (await store.stream({ bucket, key: 'left.csv', versionId })) ?? []) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }

    expect(await store.head({ bucket, key: 'left.csv', versionId })).toMatchObject({ sizeBytes: 3_000_000 });
  });
});
