/**
 * Thousands of rows in seconds: the ledger makes the items, and each request of DynamoDB puts 25 of
 * them.
 */
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import type { InProcessStage } from '../../stage/harness/in-process-stage.ts';

const itemsOfRequest = 25;
const requestsAtOnce = 4;

type Item = Record<string, AttributeValue>;

/** Writes new rows into the table of a stage, without a look at what is there. */
export async function writeRows({ stage }: InProcessStage, rows: readonly LedgerRow[]): Promise<void> {
  const { endpoint, region } = stage.assembly;
  const tableName = resourcesOfType(stage.assembly, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '';
  const items = await itemsOf(rows, tableName);
  const client = new DynamoDBClient({ endpoint, region, credentials: developerKey });
  const put = async (some: readonly Item[]) =>
    client.send(
      new BatchWriteItemCommand({ RequestItems: { [tableName]: some.map((Item) => ({ PutRequest: { Item } })) } }),
    );
  const requests = Array.from({ length: Math.ceil(items.length / itemsOfRequest) }, (_, index) =>
    items.slice(index * itemsOfRequest, (index + 1) * itemsOfRequest),
  );
  try {
    const worker = async () => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await put(next);
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, worker));
  } finally {
    client.destroy();
  }
}

/**
 * The items that the ledger writes for these rows: its client sends nothing, and keeps what it was
 * given.
 */
async function itemsOf(rows: readonly LedgerRow[], tableName: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  const client = new DynamoDBClient({ region: 'eu-west-1', credentials: developerKey });
  client.middlewareStack.add(
    () => async (args) => {
      items.push((args.input as PutItemCommandInput).Item ?? {});
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'initialize', priority: 'high' },
  );
  const ledger = createDynamoDbLedger({ client, tableName });
  for (const row of rows) await ledger.write(undefined, row);
  return items;
}
