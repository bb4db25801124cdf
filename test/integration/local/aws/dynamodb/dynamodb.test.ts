import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startLocalAws } from '../start-local-aws.ts';

const TableName = 'App-Ledger';
const nowMs = Date.UTC(2026, 10, 20);

test('the table of the template loses expired items when swept, and no others', async () => {
  await using aws = await startLocalAws();
  const dynamo = new DynamoDBClient(aws.developer);
  const at = (ageSeconds: number) => ({ expiresAt: { N: String(nowMs / 1000 - ageSeconds) } });
  for (const [S, more] of Object.entries({ expired: at(10), fresh: at(-10), kept: { note: { S: 'no age' } } }))
    await dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S }, ...more } }));

  expect(await aws.door.sweepExpired(nowMs)).toBe(1);
  const { Items } = await dynamo.send(new ScanCommand({ TableName }));
  expect(Items?.map(({ pk }) => pk?.S).toSorted()).toEqual(['fresh', 'kept']);
  dynamo.destroy();
});
