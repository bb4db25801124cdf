import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createObjectStore, type ObjectStore, type OpenedObject } from '#shared/aws/object-store.ts';
import { type LocalAws, startLocalAws } from '../../local/aws/start-local-aws.ts';
import { server } from '../gateway-client/clients.ts';

const bucket = 'inbox-000000000000';
const maxSockets = 5;
let aws: LocalAws;
let s3: S3Client;
let store: ObjectStore;

beforeAll(async () => {
  aws = await startLocalAws();
  s3 = new S3Client({ ...aws.developer, forcePathStyle: true, requestHandler: { httpAgent: { maxSockets } } });
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

  test('is none if the key was deleted, while its versions are still there', async () => {
    const versionId = await put('gone.csv', 'one');
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'gone.csv' }));

    expect(await store.head({ bucket, key: 'gone.csv' })).toBeUndefined();
    expect(await store.head({ bucket, key: 'gone.csv', versionId })).toMatchObject({ versionId });
  });

  test('is none if there never was one', async () => {
    expect(await store.head({ bucket, key: 'none.csv.dataset.json' })).toBeUndefined();
    expect(await store.open({ bucket, key: 'none.csv.dataset.json' })).toBeUndefined();
  });
});

async function open(key: string, versionId: string): Promise<OpenedObject> {
  const opened = await store.open({ bucket, key, versionId });
  if (opened === undefined) throw new Error(`${key} is gone`);
  return opened;
}

describe('a version that is opened', () => {
  test('says what HEAD says, and has its body in pieces', async () => {
    const body = randomBytes(3_000_000);
    const { VersionId: versionId = '' } = await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'large.csv', Body: body, Metadata: { 'file-id': 'f-1' } }),
    );

    using opened = await open('large.csv', versionId);
    const { pieces: _pieces, [Symbol.dispose]: _dispose, ...head } = opened;

    expect(head).toEqual(await store.head({ bucket, key: 'large.csv', versionId }));
    expect(head).toMatchObject({ versionId, sizeBytes: 3_000_000, metadata: { 'file-id': 'f-1' } });
    let pieces = 0;
    const read: Uint8Array[] = [];
    for await (const piece of opened.pieces) pieces = read.push(piece);
    expect(Buffer.concat(read).equals(body)).toBe(true);
    expect(pieces).toBeGreaterThan(1);
  });

  test('has no bytes if the object is empty', async () => {
    using opened = await open('empty.csv', await put('empty.csv', ''));

    expect([opened.sizeBytes, (await buffer(opened.pieces)).length]).toEqual([0, 0]);
  });

  test('is gone if it was deleted, if it is a delete marker, and if the key ends in one', async () => {
    const versionId = await put('deleted.csv', 'one');
    const marker = await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'deleted.csv' }));
    const versions = [versionId, marker.VersionId ?? '', undefined];
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'deleted.csv', VersionId: versionId }));

    for (const version of versions) {
      const address = { bucket, key: 'deleted.csv', ...(version === undefined ? {} : { versionId: version }) };
      expect(await store.open(address)).toBeUndefined();
    }
  });

  test.each([
    ['half way', 1],
    ['before the first byte', 0],
  ])('and left %s lets its connection go: more reads are answered than there are connections', async (_when, most) => {
    const versionId = await put('left.csv', randomBytes(3_000_000));

    for (let turn = 0; turn <= maxSockets; turn += 1) {
      using opened = await open('left.csv', versionId);
      let read = 0;
      const pieces = most === 0 ? [] : opened.pieces;
      for await (const piece of pieces) {
        read += piece.length;
        break;
      }
      expect(read > 0).toBe(most > 0);
    }

    expect(await store.head({ bucket, key: 'left.csv', versionId })).toMatchObject({ sizeBytes: 3_000_000 });
  });

  test('whose connection breaks before it is read tells the reader, and the process lives on', async () => {
    const sockets: Socket[] = [];
    const { baseUrl: endpoint } = await server((socket) => {
      sockets.push(socket);
      // With a checksum the client reads it through a stream of its own, whose error is heard nowhere else.
      const headers = ['content-length: 1000', 'etag: "e"', 'x-amz-checksum-crc32: AAAAAA=='];
      socket.write(['HTTP/1.1 200 OK', ...headers, '', 'begun'].join('\r\n'));
    });
    const own = new S3Client({ ...aws.developer, endpoint, forcePathStyle: true, maxAttempts: 1 });

    using opened = await createObjectStore(own).open({ bucket, key: 'broken.csv' });
    if (opened === undefined) throw new Error('it was not opened');
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(opened.pieces).toHaveProperty('destroyed', true), { timeout: 120_000 });

    await expect(buffer(opened.pieces)).rejects.toThrow('aborted');
    own.destroy();
  });
});

/** S3 as it answers such a read: HEAD without a body. */
async function refusing(status: number, code: string): Promise<ObjectStore> {
  const { baseUrl: endpoint } = await server((socket, request) => {
    const body = `<Error><Code>${code}</Code><Message>Why.</Message></Error>`;
    const headers = [`content-length: ${body.length}`, 'content-type: application/xml', 'connection: close'];
    const sent = request.method === 'HEAD' ? '' : body;
    socket.end([`HTTP/1.1 ${status} Refused`, ...headers, '', sent].join('\r\n'));
  });
  return createObjectStore(new S3Client({ ...aws.developer, endpoint, forcePathStyle: true, maxAttempts: 1 }));
}

describe('an object that S3 does not give out', () => {
  test.each([
    [403, 'InvalidObjectState', 'It is archived: restore it.'],
    [400, 'InvalidRequest', 'It may be encrypted with a key of its sender'],
    [400, 'KMS.DisabledException', 'Enable its KMS key'],
  ])('is an error that no repeat helps, with what to do: %s %s', async (status, code, advice) => {
    const refused = {
      name: 'ObjectRefusedError',
      retryable: false,
      message: expect.stringMatching(new RegExp(`archived.csv, version v1: ${code}, Why. ${advice}`)),
    };
    const archived = { bucket, key: 'archived.csv', versionId: 'v1' };
    const refusingStore = await refusing(status, code);

    await expect(refusingStore.open(archived)).rejects.toMatchObject(refused);
  });

  test('says so to a HEAD too, whose own answer has no words', async () => {
    const refusingStore = await refusing(400, 'InvalidRequest');

    await expect(refusingStore.head({ bucket, key: 'a.csv' })).rejects.toMatchObject({ name: 'ObjectRefusedError' });
  });

  test('for a reason that may pass is an error that says so', async () => {
    const slow = await refusing(503, 'SlowDown');

    await expect(slow.open({ bucket, key: 'a.csv' })).rejects.toMatchObject({ name: 'SlowDown' });
  });
});
