import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startLocalAws } from '../start-local-aws.ts';

const TableName = 'App-Ledger';
const nowMs = Date.UTC(2026, 10, 20);

test('the table of the template loses expired items when swept, and no others', async () => {
  await using aws = await startLocalAws();
  const dynamo = new DynamoDBClient(aws.developer);
  for (const [S, ageSeconds] of [['expired', 10] as const, ['fresh', -10] as const, ['kept', undefined] as const]) {
    const expiresAt = ageSeconds === undefined ? {} : { expiresAt: { N: String(nowMs / 1000 - ageSeconds) } };
    await dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S }, ...expiresAt } }));
  }

  expect(await aws.door.sweepExpired(nowMs)).toBe(1);
  const { Items } = await dynamo.send(new ScanCommand({ TableName }));
  expect(Items?.map(({ pk }) => pk?.S).toSorted()).toEqual(['fresh', 'kept']);
  dynamo.destroy();
});
