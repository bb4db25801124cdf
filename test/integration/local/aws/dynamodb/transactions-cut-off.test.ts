import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import { type LocalAws, startLocalAws } from '../start-local-aws.ts';
import { folderOfTest } from '../../../../builders/test-folder.ts';

const TableName = 'App-Ledger';
const CHILD = fileURLToPath(new URL('transaction-child.ts', import.meta.url));

async function writerOf(pk: string, { developer }: LocalAws): Promise<string | undefined> {
  const client = new DynamoDBClient(developer);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }));
  client.destroy();
  return Item?.['by']?.S;
}

test.each([
  ['begin', undefined],
  ['write-1', undefined],
  ['write-2', undefined],
  ['stored', 'stored'],
])('a process that is killed at %s of a transaction leaves all of it or none', async (step, expected) => {
  const dataDir = folderOfTest();
  const child = spawn(process.execPath, [CHILD, dataDir, step], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = await once(child, 'exit');

  await using local = await startLocalAws({ dataDir });
  const values = [await writerOf('one', local), await writerOf('two', local)];

  expect(signal).toBe('SIGKILL');
  expect(values).toEqual([expected, expected]);
});

test('a transaction that the disk did not take is written when it comes again with its token', async () => {
  const engine = await startDynamoDbEngine();
  await engine.call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  let isFull = true;
  const transactWrite = createTransactions({
    engine: {
      atomically: (work) =>
        engine.atomically(async (atomic) => {
          const result = await work(atomic);
          if (isFull) throw new Error('the disk is full');
          return result;
        }),
    },
  });
  const Item = { pk: { S: 'one' }, value: { S: 'first' } };
  const input = { TransactItems: [{ Put: { TableName, Item } }], ClientRequestToken: 'token' };

  await expect(transactWrite(input)).rejects.toThrow('the disk is full');
  isFull = false;
  await transactWrite(input);

  expect(await engine.call('GetItem', { TableName, Key: { pk: { S: 'one' } } })).toMatchObject({ Item });
  await engine.close();
});
