import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { noDisk, smallDisk } from '../../builders/test-folder.ts';
import { type LocalAws, startLocalAws } from './aws/start-local-aws.ts';

const disk = smallDisk(32);
const note = disk === undefined ? ' (skipped: a mount needs root on Linux)' : '';
const TableName = 'App-Ledger';
const payload = 'x'.repeat(60_000);

const item = (pk: string) => ({ pk: { S: pk }, payload: { S: payload } });
const Put = (pk: string) => ({ Put: { TableName, Item: item(pk) } });

/** Everything that writes, and how much of each was answered as done. */
function writers(local: LocalAws) {
  const [table, queues, bucket] = [
    new DynamoDBClient(local.developer),
    new SQSClient(local.developer),
    new S3Client(local.developer),
  ];
  const done = { item: [] as string[], transaction: [] as string[], message: [] as string[], object: [] as string[] };
  const write = {
    item: async (id: string) => table.send(new PutItemCommand({ TableName, Item: item(id) })),
    transaction: async (id: string) =>
      table.send(new TransactWriteItemsCommand({ TransactItems: [Put(`${id}-a`), Put(`${id}-b`)] })),
    message: async (id: string) =>
      queues.send(new SendMessageCommand({ QueueUrl: local.queueUrl('Heard'), MessageBody: id + payload })),
    object: async (id: string) =>
      bucket.send(new PutObjectCommand({ Bucket: 'inbox-000000000000', Key: `other/${id}`, Body: payload })),
  };
  /** Tries one of each; the kinds that were refused. */
  async function all(id: string): Promise<string[]> {
    const refused: string[] = [];
    for (const kind of ['item', 'transaction', 'message', 'object'] as const) {
      try {
        await write[kind](`${kind}-${id}`);
        done[kind].push(`${kind}-${id}`);
      } catch {
        refused.push(kind);
      }
    }
    return refused;
  }
  return { all, done, table, queues };
}

// A write of the tables that found no room ended the whole stage with a stack trace.
describe.skipIf(disk === undefined)(`a stage whose disk is filled while it works${note}`, () => {
  const { folder, fill, makeRoom, unmount } = disk ?? noDisk;
  afterAll(unmount);

  test('says so, goes on after room is made, and loses nothing that it answered', async () => {
    const dataDir = join(folder, 'aws');
    const first = await startLocalAws({ dataDir });
    const { all, done } = writers(first);
    const before = await all('before');
    fill();
    const refused = new Set<string>();
    for (let at = 0; at < 8; at += 1) for (const kind of await all(`full-${at}`)) refused.add(kind);
    makeRoom();
    const after = await all('after');
    await first[Symbol.asyncDispose]();

    expect([before, after]).toEqual([[], []]);
    expect([...refused].toSorted()).toEqual(['item', 'message', 'object', 'transaction']);
    expect(first.logged.join('\n')).toContain(`the disk of ${dataDir}`);
    expect(first.logged.filter((line) => line.includes('is full')).length).toBeLessThanOrEqual(3);

    await using second = await startLocalAws({ dataDir });
    const { table, queues } = writers(second);
    const rows = [...done.item, ...done.transaction.flatMap((id) => [`${id}-a`, `${id}-b`])];
    const found = await Promise.all(
      rows.map(
        async (pk) => (await table.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }))).Item?.['pk']?.S,
      ),
    );
    const { Attributes } = await queues.send(
      new GetQueueAttributesCommand({
        QueueUrl: second.queueUrl('Heard'),
        AttributeNames: ['ApproximateNumberOfMessages'],
      }),
    );
    expect(found).toEqual(rows);
    expect(Attributes?.['ApproximateNumberOfMessages']).toBe(String(done.message.length));
  });
});
