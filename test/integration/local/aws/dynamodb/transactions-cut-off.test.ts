import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import type { JsonObject } from '#local/template/assembly.ts';
import { type LocalAws, startLocalAws } from '../start-local-aws.ts';

const TableName = 'App-Ledger';
const CHILD = fileURLToPath(new URL('transaction-child.ts', import.meta.url));
const item = (pk: string, value: string) => ({ pk: { S: pk }, value: { S: value } });

async function writerOf(pk: string, { developer }: LocalAws): Promise<string | undefined> {
  const client = new DynamoDBClient(developer);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } } }));
  client.destroy();
  return Item?.['by']?.S;
}

describe('a process that is killed', () => {
  test.each([
    ['begin', undefined],
    ['write-1', undefined],
    ['write-2', undefined],
    ['stored', 'stored'],
  ])('at %s of a transaction leaves all of it or none', async (step, expected) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cut-off-'));
    const child = spawn(process.execPath, [CHILD, dataDir, step], { stdio: ['ignore', 'inherit', 'inherit'] });
    const [, signal] = await once(child, 'exit');

    await using local = await startLocalAws({ dataDir });
    const values = [await writerOf('one', local), await writerOf('two', local)];
    rmSync(dataDir, { recursive: true, force: true });

    expect(signal).toBe('SIGKILL');
    expect(values).toEqual([expected, expected]);
  });
});

describe('transactions over an engine', () => {
  const input = (value: string, token?: string): JsonObject => ({
    TransactItems: ['one', 'two'].map((pk) => ({ Put: { TableName, Item: item(pk, value) } })),
    ...(token === undefined ? {} : { ClientRequestToken: token }),
  });

  async function anEngine() {
    const engine = await startDynamoDbEngine();
    await engine.call('CreateTable', definition);
    return engine;
  }
  const definition: JsonObject = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  };

  test('forget a token after ten minutes', async () => {
    let nowMs = 0;
    const engine = await anEngine();
    const transactWrite = createTransactions({ engine, elapsedMs: () => nowMs });
    await transactWrite(input('first', 'token'));

    nowMs = 10 * 60_000 - 1;
    await expect(transactWrite(input('second', 'token'))).rejects.toThrow('same client token');
    nowMs = 10 * 60_000;
    await transactWrite(input('second', 'token'));

    const row = await engine.call('GetItem', { TableName, Key: { pk: { S: 'one' } } });
    expect(row).toMatchObject({ Item: item('one', 'second') });
    await engine.close();
  });

  test('that the disk did not take are written when they come again with their token', async () => {
    const engine = await anEngine();
    let isFull = true;
    const transactWrite = createTransactions({
      engine: {
        ...engine,
        atomically: (work) =>
          engine.atomically(async (atomic) => {
            const result = await work(atomic);
            if (isFull) throw new Error('the disk is full');
            return result;
          }),
      },
    });

    await expect(transactWrite(input('first', 'token'))).rejects.toThrow('the disk is full');
    isFull = false;
    await transactWrite(input('first', 'token'));

    const row = await engine.call('GetItem', { TableName, Key: { pk: { S: 'one' } } });
    expect(row).toMatchObject({ Item: item('one', 'first') });
    await engine.close();
  });
});
