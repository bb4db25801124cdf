/**
 * What AWS answers in the bench. Rows are kept as they are written and no condition is checked.
 * Every command is about a run of its own, and one process works at a time.
 */

import { hash } from 'node:crypto';

/** A row as it travels. */
type Row = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

/** The parts of the requests that are looked at. */
interface TableRequest {
  readonly Key?: Row;
  readonly Item?: Row;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Row[] }>>;
  readonly TransactItems?: readonly { readonly Put: { readonly Item: Row } }[];
}

const gateKey = 'gate#gateway';

const rows = new Map<string, Row>();

/** The text of an answer, and the name under which the call is counted. */
export interface AwsAnswer {
  readonly name: string;
  readonly body: Buffer;
}

/**
 * Answers one call of DynamoDB, Secrets Manager, EventBridge or SQS.
 * @param target - the header `x-amz-target`
 * @returns `undefined` for an operation that no function of the bench has a use for
 */
export function awsAnswer(target: string, body: Buffer): AwsAnswer | undefined {
  const name = target.slice(target.indexOf('.') + 1);
  switch (name) {
    case 'GetSecretValue':
      return answered(name, { Name: 'token', SecretString: 'bench-token' });
    case 'PutEvents':
      return answered(name, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    case 'SendMessage': {
      const { MessageBody } = JSON.parse(body.toString('utf8')) as { readonly MessageBody: string };
      // The client of SQS compares it.
      return answered(name, { MessageId: 'm', MD5OfMessageBody: hash('md5', MessageBody) });
    }
    default:
      return tableAnswer(name, JSON.parse(body.toString('utf8')) as TableRequest);
  }
}

function tableAnswer(name: string, request: TableRequest): AwsAnswer | undefined {
  const { Key, Item, RequestItems = {}, TransactItems = [] } = request;
  switch (name) {
    case 'GetItem': {
      const row = rows.get(keyOf(Key));
      // Each environment reads the gate's row by the clock, so these reads are counted apart.
      return answered(keyOf(Key) === gateKey ? gateReads : name, row === undefined ? {} : { Item: row });
    }
    case 'BatchGetItem': {
      const found = Object.entries(RequestItems).map(([table, { Keys }]) => [table, Keys.flatMap(rowOf)]);
      return answered(name, { Responses: Object.fromEntries(found), UnprocessedKeys: {} });
    }
    case 'PutItem':
      keep(Item);
      return answered(name, {});
    case 'TransactWriteItems':
      for (const { Put } of TransactItems) keep(Put.Item);
      return answered(name, {});
    default:
      return undefined;
  }
}

/** The name under which a read of the gate's row is counted. */
export const gateReads = 'GetItem of the gate';

function answered(name: string, value: object): AwsAnswer {
  return { name, body: Buffer.from(JSON.stringify(value)) };
}

function keep(row: Row | undefined): void {
  if (row !== undefined) rows.set(keyOf(row), row);
}

function rowOf(key: Row): readonly Row[] {
  const row = rows.get(keyOf(key));
  return row === undefined ? [] : [row];
}

function keyOf(row: Row | undefined): string {
  return row?.['pk']?.S ?? '';
}
