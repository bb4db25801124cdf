import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { datasetIndex, openIndex } from '../../../shared/aws/dynamodb-ledger.ts';

/** DynamoDB in memory behind a proxy that can take a request, let it be applied, and lose the answer. */
export interface TestDynamoDb {
  readonly url: string;
  readonly dropNextAnswerTo: (operation: string) => void;
  /** Requests to an operation since the last drop was asked for. */
  readonly requestsTo: (operation: string) => number;
  readonly close: () => Promise<void>;
}

/** Starts both on ports of their own. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const engine = dynalite({ createTableMs: 0 });
  const enginePort = await listen(engine);
  let dropped: string | undefined;
  let seen: string[] = [];

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    seen.push(operation);
    const isDropped = dropped === operation;
    if (isDropped) dropped = undefined;
    const { method, url: path, headers } = incoming;
    const upstream = request({ host: '127.0.0.1', port: enginePort, method, path, headers }, (answer) => {
      if (isDropped) {
        answer.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  }

  const proxy = createServer(forward);
  const port = await listen(proxy);
  return {
    url: `http://127.0.0.1:${port}`,
    dropNextAnswerTo(operation) {
      dropped = operation;
      seen = [];
    },
    requestsTo: (operation) => seen.filter((name) => name === operation).length,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      engine.close();
    },
  };
}

/** A client of it that gives up on an answer soon and then asks again, as every client of the SDK does. */
export function clientOf({ url }: Pick<TestDynamoDb, 'url'>): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { requestTimeout: 500 },
    maxAttempts: 3,
  });
}

/** The table as it is deployed, called `ledger`. */
export async function createLedgerTable(client: DynamoDBClient): Promise<void> {
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
