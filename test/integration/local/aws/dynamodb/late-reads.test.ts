import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DynamoDbEngine, type LateReads, startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import type { JsonObject } from '#local/template/json.ts';
import { folderOfTest } from '../../../../builders/test-folder.ts';

const TableName = 'ledger';
const definition: JsonObject = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'open'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'open',
      KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};

let directory: string;
const engines: DynamoDbEngine[] = [];
beforeEach(() => {
  directory = folderOfTest();
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function start(late?: Partial<LateReads>): Promise<DynamoDbEngine> {
  const reads = late && { indexLagMs: 0, betweenRows: async () => {}, ...late };
  const engine = await startDynamoDbEngine(directory, reads);
  engines.push(engine);
  if (JSON.stringify(await engine.call('ListTables', {})).includes(TableName)) return engine;
  await engine.call('CreateTable', definition);
  return engine;
}

const put = async (engine: DynamoDbEngine, pk: string, more: JsonObject = {}) =>
  engine.call('PutItem', { TableName, Item: { pk: { S: pk }, open: { S: 'yes' }, ...more } });

async function found({ call }: DynamoDbEngine): Promise<unknown> {
  const query = { KeyConditionExpression: '#open = :yes', ExpressionAttributeNames: { '#open': 'open' } };
  const { Items } = await call('Query', {
    TableName,
    IndexName: 'open',
    ...query,
    ExpressionAttributeValues: { ':yes': { S: 'yes' } },
  });
  return Items;
}

/**
 * "Global secondary indexes support eventual consistency only": a query may miss what a read of the
 * row shows. docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
 */
test('a change shows in an index later than in its row, if a fault run asks for it', async () => {
  const engine = await start({ indexLagMs: 1500 });

  await put(engine, 'a');

  expect(await engine.call('GetItem', { TableName, Key: { pk: { S: 'a' } } })).toMatchObject({ Item: {} });
  expect(await found(engine)).toEqual([]);
  await vi.waitFor(async () => expect(await found(engine)).toMatchObject([{ pk: { S: 'a' } }]), 20_000);
});

test('changes of an index show in the order in which they were made', async () => {
  const engine = await start({ indexLagMs: 20 });

  for (const n of ['1', '2', '3']) await put(engine, 'a', { n: { N: n } });

  await vi.waitFor(async () => expect(await found(engine)).toMatchObject([{ n: { N: '3' } }]), 20_000);
});

test('a change that no index shows yet is not lost with the process', async () => {
  const engine = await start({ indexLagMs: 3_600_000 });
  await put(engine, 'a');
  await engines.pop()?.close();

  const next = await start();

  expect(await found(next)).toMatchObject([{ pk: { S: 'a' } }]);
});

/**
 * A BatchGetItem is read-committed with regard to transactions, and serializable for each row by
 * itself. docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
test('a batch read may see part of a transaction, if a fault run asks for it', async () => {
  let between: (() => Promise<unknown>) | undefined;
  const engine = await start({ betweenRows: async () => void (await between?.()) });
  for (const pk of ['a', 'b']) await put(engine, pk, { by: { S: 'old' } });
  const transactWrite = createTransactions({ engine });
  between = async () =>
    transactWrite({
      TransactItems: ['a', 'b'].map((pk) => ({ Put: { TableName, Item: { pk: { S: pk }, by: { S: 'new' } } } })),
    });

  const Keys = ['a', 'b'].map((pk) => ({ pk: { S: pk } }));
  const { Responses } = await engine.call('BatchGetItem', { RequestItems: { [TableName]: { Keys } } });

  expect(Responses).toMatchObject({ [TableName]: [{ by: { S: 'old' } }, { by: { S: 'new' } }] });
});
