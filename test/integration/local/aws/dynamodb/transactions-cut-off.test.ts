import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { openTransactions } from '#local/aws/dynamodb/transactions.ts';
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
    ['look', undefined],
    ['write-0', 'write-0'],
    ['write-1', 'write-1'],
    ['write-2', 'write-2'],
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

  async function anEngine(dataDir: string) {
    const engine = await startDynamoDbEngine(join(dataDir, 'dynamodb'));
    const { TableNames } = await engine.call('ListTables', {});
    if (Array.isArray(TableNames) && TableNames.length === 0) await engine.call('CreateTable', definition);
    return engine;
  }
  const definition: JsonObject = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  };

  test('forget a token after ten minutes', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tokens-'));
    let nowMs = 0;
    const engine = await anEngine(dataDir);
    const transactions = await openTransactions({ engine, dataDir, elapsedMs: () => nowMs });
    await transactions.write(input('first', 'token'));

    nowMs = 10 * 60_000 - 1;
    await expect(transactions.write(input('second', 'token'))).rejects.toThrow('same client token');
    nowMs = 10 * 60_000;
    await transactions.write(input('second', 'token'));

    const row = await engine.call('GetItem', { TableName, Key: { pk: { S: 'one' } } });
    expect(row).toMatchObject({ Item: item('one', 'second') });
    await transactions.close();
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });

  test('that fail between two writes answer nothing more, until a start has finished them', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'half-'));
    const engine = await anEngine(dataDir);
    let writes = 0;
    const transactions = await openTransactions({
      dataDir,
      engine: {
        ...engine,
        exclusively: (work) =>
          engine.exclusively((calls) =>
            work({
              ...calls,
              async call(operation, request) {
                writes += 1;
                if (writes === 2) throw new Error('the disk is full');
                return calls.call(operation, request);
              },
            }),
          ),
      },
    });

    await expect(transactions.write(input('half'))).rejects.toThrow('start again');
    await expect(engine.call('GetItem', { TableName, Key: { pk: { S: 'one' } } })).rejects.toThrow('start again');
    await transactions.close();
    await engine.close();
    const next = await anEngine(dataDir);
    await (await openTransactions({ engine: next, dataDir })).close();

    for (const pk of ['one', 'two'])
      expect(await next.call('GetItem', { TableName, Key: { pk: { S: pk } } })).toMatchObject({
        Item: item(pk, 'half'),
      });
    await next.close();
    rmSync(dataDir, { recursive: true });
  });
});
