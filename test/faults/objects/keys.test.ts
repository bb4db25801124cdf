import { text } from 'node:stream/consumers';
import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3';
import { DeleteMessageCommand, PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createObjectStore } from '#shared/aws/object-store.ts';
import { parseObjectEvents } from '#shared/uploads/object-events.ts';
import { decodeObjectKey, encodeObjectKey } from '#shared/uploads/object-key.ts';
import { startLocalAws } from '../../integration/local/aws/start-local-aws.ts';
import { createUploadBench, eventOf } from '../../unit/functions/register-datasets/upload-bench.ts';
import { anyKey, damagedKey, encodedByS3, meaningOf } from './s3-key.ts';
import { propertyRuns } from '../../builders/property-runs.ts';

const prefix = 'datasets/pii/';

/** The event of one version whose key is written so. */
function eventWith(encodedKey: string): string {
  const { Records } = JSON.parse(eventOf({ key: prefix, versionId: 'v1', body: 'x' }));
  Records[0].s3.object.key = encodedKey;
  return JSON.stringify({ Records });
}

function readOnce(body: string) {
  const parsed = parseObjectEvents(body);
  if (parsed.kind !== 'records' || parsed.records.length !== 1) throw new Error(`not one record: ${body}`);
  return parsed.records[0];
}

/** Names of locks, backups and marks of systems are ignored. */
function isNoLeftover(key: string): boolean {
  return !/~$|\/(?:\.|~\$|_)[^/]*$|\.[a-z]+$/i.test(key);
}

describe('[D3] the key in an event', () => {
  test('is the key of the object, as S3 encoded it', () => {
    fc.assert(
      fc.property(anyKey(prefix), (key) => {
        expect(readOnce(eventWith(encodedByS3(key)))).toMatchObject({ kind: 'created', key });
      }),
      propertyRuns(1000),
    );
  });

  test('that we write ourselves, in the name of S3, means the same key to us and to any other reader', () => {
    fc.assert(
      fc.property(anyKey(prefix), (key) => {
        const encoded = encodeObjectKey(key);

        expect(decodeObjectKey(encoded)).toBe(key);
        expect(meaningOf(encoded)).toBe(key);
      }),
      propertyRuns(2000),
    );
  });

  test('that is damaged means what its bytes mean, or is a bad key: never something in between', () => {
    const runs = propertyRuns(1000);
    let bad = 0;
    fc.assert(
      fc.property(damagedKey(prefix), (encoded) => {
        const meant = meaningOf(encoded);
        if (meant === undefined) bad += 1;
        expect(readOnce(eventWith(encoded))).toMatchObject(
          meant === undefined ? { kind: 'bad-key', rawKey: encoded } : { kind: 'created', key: meant },
        );
      }),
      runs,
    );
    expect(bad).toBeGreaterThan(runs.numRuns / 2);
  });
});

describe('[D3] an upload', () => {
  test('of any key is registered from that very object, and from no other', async () => {
    await fc.assert(
      fc.asyncProperty(anyKey(prefix).filter(isNoLeftover), async (key) => {
        const bench = createUploadBench();
        bench.put({ key, versionId: 'v1', metadata: { 'file-id': 'this-one' } });

        const result = await bench.deliver(eventWith(encodedByS3(key)).replace('"size":1', '"size":58'));

        expect(result).toMatchObject({ outcomes: [{ kind: 'applied', subject: key }] });
        expect(bench.reads).toEqual([`GET ${key}`]);
        expect(bench.posts).toMatchObject([{ fileId: 'this-one' }]);
      }),
      propertyRuns(100),
    );
  });

  test('whose key is no encoding is parked BAD_KEY with its message, and S3 is not asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        damagedKey(prefix).filter((encoded) => meaningOf(encoded) === undefined),
        async (encoded) => {
          const bench = createUploadBench();
          const body = eventWith(encoded);

          const result = await bench.deliver(body);

          expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_KEY' }] });
          expect(bench.ledger.all()).toMatchObject([{ openState: 'PARKED', parked: { message: body } }]);
          expect([bench.reads, bench.posts]).toEqual([[], []]);
        },
      ),
      propertyRuns(60),
    );
  });
});

test('[D3] an object of any key that was put into the bucket is read by what its own event says', async () => {
  await using aws = await startLocalAws();
  const s3 = new S3Client({ ...aws.developer, forcePathStyle: true });
  const sqs = new SQSClient(aws.developer);
  onTestFinished(() => {
    s3.destroy();
    sqs.destroy();
  });
  const QueueUrl = aws.queueUrl('Jobs');
  await sqs.send(new PurgeQueueCommand({ QueueUrl })); // the test event of the new notification
  const store = createObjectStore(s3);
  const keys = fc.sample(anyKey(prefix), { numRuns: 30, seed: 20_261_121 });

  const known = [
    '../up',
    'a/../../b',
    './',
    'a\nb',
    '%2F',
    '%zz',
    'a+b c',
    '\u2028',
    'e\u0301',
    '\u00e9',
    '😀',
    'x'.repeat(1024 - prefix.length),
  ];

  for (const key of new Set([...known.map((name) => prefix + name), ...keys])) {
    await s3.send(new PutObjectCommand({ Bucket: 'inbox-000000000000', Key: key, Body: `bytes of ${key}` }));
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
    const [message] = Messages;
    if (message === undefined) throw new Error(`no event of ${JSON.stringify(key)}`);
    const event = readOnce(message.Body ?? '');
    if (event?.kind !== 'created') throw new Error(`no object: ${message.Body}`);

    expect(event.key).toBe(key);
    const { bucket, versionId } = event;
    using opened = await store.open({ bucket, key: event.key, versionId });
    expect(opened && (await text(opened.pieces))).toBe(`bytes of ${key}`);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  }
});
