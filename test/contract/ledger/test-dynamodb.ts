import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';
import { createTransactions } from '#local/aws/dynamodb/transactions.ts';
import type { AwsResponse } from '#local/aws/wire/aws-service.ts';
import { AwsError } from '#local/aws/aws-error.ts';
import { writeError } from '#local/aws/wire/xml.ts';
import { parseJsonObject } from '#local/template/json.ts';
import { createDynamoDbLedger, datasetIndex, openIndex } from '#shared/aws/dynamodb-ledger.ts';

/**
 * DynamoDB of the local run, in memory, behind a proxy that can take a request, let it be applied,
 * and lose the answer.
 */
export interface TestDynamoDb {
  readonly url: string;
  /** A client that gives up on an answer soon and then asks again, as every client of the SDK does. */
  readonly client: DynamoDBClient;
  /** The ledger in it. */
  readonly ledger: ReturnType<typeof createDynamoDbLedger>;
  readonly dropNextAnswerTo: (operation: string) => void;
  /**
   * From now on every repeat of a transaction comes after its token has been forgotten, as ten
   * minutes later.
   */
  readonly forgetTokens: () => void;
  /** Answers the next request to an operation with this, and does nothing of it. */
  readonly answerNext: (operation: string, body: Readonly<Record<string, unknown>>, status?: number) => void;
  /** Requests to an operation since the last drop was asked for. */
  readonly requestsTo: (operation: string) => number;
  readonly close: () => Promise<void>;
}

/** Starts it on a port of its own, with the table of the ledger. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const engine = await startDynamoDbEngine();
  let elapsedMs = 0;
  let tokenLifeMs = 0;
  const transactWrite = createTransactions({ engine, elapsedMs: () => (elapsedMs += tokenLifeMs) });
  let dropped: string | undefined;
  let prepared: { operation: string; body: string; status: number } | undefined;
  let seen: string[] = [];

  async function answerTo(operation: string, body: string): Promise<Pick<AwsResponse, 'status' | 'body'>> {
    if (prepared?.operation === operation) {
      const answer = prepared;
      prepared = undefined;
      return answer;
    }
    const input = parseJsonObject(body, operation);
    try {
      const answer =
        operation === 'TransactWriteItems' ? ((await transactWrite(input)) ?? {}) : await engine.call(operation, input);
      return { body: JSON.stringify(answer) };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return writeError(error, 'json', 'request');
    }
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    const { status = 200, body } = await answerTo(operation, await text(incoming));
    seen.push(operation);
    if (dropped === operation) {
      dropped = undefined;
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  }

  const proxy = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.writeHead(500).end());
  });
  const url = `http://127.0.0.1:${await listen(proxy)}`;
  const client = new DynamoDBClient({
    endpoint: url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { requestTimeout: 500 },
    maxAttempts: 3,
  });
  await createLedgerTable(client);
  return {
    url,
    client,
    ledger: createDynamoDbLedger({ client, tableName: 'ledger' }),
    dropNextAnswerTo(operation) {
      dropped = operation;
      seen = [];
    },
    forgetTokens() {
      tokenLifeMs = 10 * 60_000;
    },
    answerNext(operation, body, status = 400) {
      prepared = { operation, body: JSON.stringify(body), status };
      seen = [];
    },
    requestsTo: (operation) => seen.filter((name) => name === operation).length,
    async close() {
      client.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await engine.close();
    },
  };
}

/** The table as it is deployed, called `ledger`. */
async function createLedgerTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: 'ledger',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: ['pk', openIndex.partitionKey, openIndex.sortKey, datasetIndex.partitionKey].map(
        (AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        }),
      ),
      GlobalSecondaryIndexes: [
        {
          IndexName: openIndex.name,
          KeySchema: [
            { AttributeName: openIndex.partitionKey, KeyType: 'HASH' },
            { AttributeName: openIndex.sortKey, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: datasetIndex.name,
          KeySchema: [{ AttributeName: datasetIndex.partitionKey, KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
}

async function listen(server: Pick<Server, 'listen' | 'address'> & NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
