/** DynamoDB: the caller's rights are checked here, the work is dynalite's; `transactions.ts` adds what it does not have. */
import { asObject, asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { notEmulated } from '../wire/aws-error.ts';
import { jsonBody, jsonResponse, requiredText } from '../wire/messages.ts';
import type { AwsRequest, AwsService } from '../wire/messages.ts';
import type { DynamoDbEngine } from './dynamodb-engine.ts';
import type { Table } from './tables.ts';
import { readTransactItems } from './transact-items.ts';
import type { Transactions } from './transactions.ts';

/** What the service needs. */
export interface DynamoDbServiceOptions {
  readonly engine: DynamoDbEngine;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly region: string;
  readonly accountId: string;
}

/** Operations on one table that dynalite does; tables themselves are made by the template alone. */
const ON_ONE_TABLE = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable']);

/** Creates the service. */
export function createDynamoDbService(options: DynamoDbServiceOptions): AwsService {
  const { engine, transactions, tables, region, accountId } = options;
  const tableArn = (nameOrArn: string): string =>
    nameOrArn.startsWith('arn:') ? nameOrArn : `arn:aws:dynamodb:${region}:${accountId}:table/${nameOrArn}`;
  const authorize = (request: AwsRequest, input: JsonObject): void => {
    const { operation } = request;
    if (operation === 'ListTables') return request.require('dynamodb:ListTables', '*');
    if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
      for (const table of Object.keys(asObject(input['RequestItems'])))
        request.require(`dynamodb:${operation}`, tableArn(table));
      return undefined;
    }
    if (operation === 'TransactWriteItems') {
      // The transaction has no action of its own: each of its items asks for the one that does the same.
      for (const { action, tableName } of readTransactItems(input))
        request.require(`dynamodb:${action}`, tableArn(tableName));
      return undefined;
    }
    if (!ON_ONE_TABLE.has(operation)) throw notEmulated('dynamodb', operation);
    const index = asText(input['IndexName']);
    const arn = tableArn(requiredText(input, 'TableName'));
    return request.require(`dynamodb:${operation}`, index === undefined ? arn : `${arn}/index/${index}`);
  };

  return {
    name: 'dynamodb',
    protocol: 'json-1.0',
    async handle(request) {
      const input = jsonBody(request);
      const { operation } = request;
      if (operation === 'UpdateTimeToLive' || operation === 'DescribeTimeToLive') {
        const arn = tableArn(requiredText(input, 'TableName'));
        request.require(`dynamodb:${operation}`, arn);
        return timeToLive(tables.get(arn.split('/').at(-1) ?? ''), operation);
      }
      authorize(request, input);
      if (operation === 'TransactWriteItems') return transactions.write(input);
      const { status, body } = await engine.forward(operation, request.body);
      // dynalite knows one account and region only, and shows them in table descriptions.
      const text = operation === 'DescribeTable' ? withArns(body, region, accountId) : body;
      return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: text };
    },
  };
}

/** The template decides on time to live: asking shows it, setting changes nothing. */
function timeToLive(table: Table | undefined, operation: string) {
  const attribute = table?.ttlAttribute;
  const isOn = attribute !== undefined;
  const body =
    operation === 'UpdateTimeToLive'
      ? { TimeToLiveSpecification: { Enabled: isOn, AttributeName: attribute } }
      : { TimeToLiveDescription: { TimeToLiveStatus: isOn ? 'ENABLED' : 'DISABLED', AttributeName: attribute } };
  return jsonResponse(body, { protocol: 'json-1.0' });
}

function withArns(body: string, region: string, accountId: string): string {
  return body.replaceAll(/arn:aws:dynamodb:[^:"]*:[^:"]*:/g, `arn:aws:dynamodb:${region}:${accountId}:`);
}
